import type { KubeObject } from '../../src/api/kube.ts';
import { LABEL } from '../../src/api/names.ts';
import type { Package } from '../../src/api/package.ts';
import type { PackageRevisionStatus, RevisionComponent } from '../../src/api/package-revision.ts';
import { encodeRecord } from '../../src/helm/record.ts';
import { formatTime } from '../../src/lib/time.ts';
import { digestOf } from '../../src/lib/digest.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { CliWorld } from '../fakes/cli-world.ts';
import { MemoryCluster } from '../fakes/memory-cluster.ts';
import { aPackage, aRevision, aRevisionComponent } from './objects.ts';
import { OPERATOR_LEASE } from './shop-world.ts';

/** Of the clock that the command line reads. */
export const NOW = Date.UTC(2030, 0, 1);

export interface RevisionShape {
  readonly version?: string;
  readonly status?: PackageRevisionStatus;
  readonly values?: Readonly<Record<string, JsonObject>>;
  readonly components?: readonly RevisionComponent[];
  readonly spec?: object;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A cluster with a package `shop`, and somebody who looks at it from the command line. */
export class LookingWorld {
  readonly cluster = new MemoryCluster();
  readonly cli = new CliWorld();

  constructor(pkg: Partial<Package['spec']> = {}, status?: Package['status']) {
    this.cluster.now = () => NOW;
    this.cli.other = this.cluster;
    for (const name of ['default', 'shop', 'kubepkg-system']) {
      this.cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
    const { apiVersion, kind, ...lease } = OPERATOR_LEASE;
    const renewed = { holderIdentity: 'operator-1', renewTime: formatTime(NOW), leaseDurationSeconds: 15 };
    this.put(apiVersion, kind, lease, { spec: renewed });
    const object = { ...aPackage(pkg), ...(status === undefined ? {} : { status }) };
    this.cluster.put(object);
  }

  revision(
    number: number,
    { version, status, values = {}, components, spec = {}, annotations }: RevisionShape = {},
  ): void {
    const secret = `kubepkg-values-shop-${String(number)}`;
    const given = components ?? [aRevisionComponent('store'), aRevisionComponent('app', { dependsOn: ['store'] })];
    const members = given.map((component) => {
      const own = values[component.name];
      if (own === undefined) return component;
      const valuesRef = { namespace: 'kubepkg-system', name: secret, key: component.name };
      return { ...component, valuesRef, valuesDigest: digestOf(own) };
    });
    const revision = aRevision({
      number,
      components: members,
      ...(version === undefined ? {} : { version }),
      ...(status === undefined ? {} : { status }),
    });
    const metadata = {
      ...revision.metadata,
      labels: { [LABEL.package]: 'shop' },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [{ apiVersion: revision.apiVersion, kind: 'Package', name: 'shop', uid: 'uid-shop' }],
    };
    this.cluster.put({ ...revision, metadata, spec: { ...revision.spec, ...spec } });
    const data = Object.entries(values).map(([key, value]) => [key, base64(JSON.stringify(value))]);
    this.put(
      'v1',
      'Secret',
      { name: secret, namespace: 'kubepkg-system' },
      { data: Object.fromEntries(data) as unknown },
    );
  }

  /** A release record of a component, as helm writes it. */
  record(component: string, number: number, manifest: string, notes = ''): void {
    const name = `sh.helm.release.v1.${component}.v${String(number)}`;
    const labels = {
      name: component,
      owner: 'helm',
      status: 'deployed',
      version: String(number),
      [LABEL.package]: 'shop',
    };
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'helm.sh/release.v1',
      metadata: { name, namespace: 'shop', labels },
    };
    const info = { status: 'deployed', description: '', notes };
    const chart = { metadata: { name: component, version: '1.0.0' } };
    const record = {
      name: component,
      namespace: 'shop',
      version: number,
      info,
      chart,
      config: {},
      manifest,
      hooks: [],
    };
    this.cluster.put(encodeRecord(secret, record));
  }

  put(apiVersion: string, kind: string, metadata: KubeObject['metadata'], rest: object = {}): void {
    this.cluster.put({ apiVersion, kind, metadata, ...rest });
  }

  event(about: KubeObject, reason: string, message: string, more: object = {}): void {
    const { apiVersion, kind, metadata } = about;
    const place = metadata.namespace === undefined ? {} : { namespace: metadata.namespace };
    const namespace = metadata.namespace ?? 'default';
    const name = `${metadata.name}.${reason.toLowerCase()}.${String(message.length)}`;
    const involvedObject = { apiVersion, kind, name: metadata.name, ...place };
    this.put('v1', 'Event', { name, namespace }, { type: 'Warning', reason, message, involvedObject, ...more });
  }

  get out(): string {
    return this.cli.stdout.text;
  }

  get err(): string {
    return this.cli.stderr.text;
  }

  async run(...argv: readonly string[]): Promise<number> {
    this.cli.stdout.text = '';
    this.cli.stderr.text = '';
    return this.cli.run(...argv);
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** As kubectl shows the Deployment `name` when so many of its replicas are available. */
export function deploymentManifest(name: string, image: string): string {
  return `---
# Source: ${name}/templates/deployment.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
spec:
  replicas: 3
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers:
        - name: main
          image: ${image}
          ports: [{containerPort: 8080}]
`;
}
