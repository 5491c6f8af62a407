import type { KubeObject } from '../../src/api/kube.ts';
import type { WriteRequest } from '../../src/ports/cluster.ts';
import { MemoryCluster } from '../fakes/memory-cluster.ts';
import { APPLICATION } from '../../src/backends/argocd/application.ts';

/** The cluster of a simulation: Argo CD declares no status subresource, so who replaces an Application replaces its status. */
export class SimCluster extends MemoryCluster {
  override async write(request: WriteRequest): Promise<KubeObject> {
    const result = await super.write(request);
    const isWhole = request.verb === 'replace' && request.object.kind === APPLICATION.kind;
    return isWhole ? this.put({ ...result, status: request.object['status'] }) : result;
  }
}
