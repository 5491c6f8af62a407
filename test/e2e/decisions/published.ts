import type { KubeObject } from '../../../src/api/kube.ts';
import { API_VERSION } from '../../../src/api/names.ts';
import type { ChartFiles } from '../operator/charts.ts';
import type { Edition, Shape } from './shape.ts';

/** A package whose charts are in a registry that both sides reach. */
export interface Published {
  readonly id: string;
  readonly shape: Shape;
  readonly sources: readonly [before: KubeObject, after: KubeObject];
}

/** Charts become a tree in a registry; gives its reference. */
export type Push = (name: string, charts: Readonly<Record<string, ChartFiles>>) => Promise<string>;

/** `broken` names a component that does not render after the upgrade. */
export async function publish(
  push: Push,
  shape: Shape,
  [id, broken]: readonly [id: string, broken?: string | undefined],
): Promise<Published> {
  const [before, after] = shape.editions(id);
  const sources = [
    await publishEdition(push, id, before),
    await publishEdition(push, id, broken === undefined ? after : breaking(after, broken)),
  ] as const;
  return { id, shape, sources };
}

async function publishEdition(push: Push, id: string, { charts, spec }: Edition): Promise<KubeObject> {
  const { components, ...rest } = spec;
  const url = await push(`decisions/${id}`, charts);
  const variants = [{ name: 'default', components }];
  return {
    apiVersion: API_VERSION,
    kind: 'PackageSource',
    metadata: { name: id },
    spec: { ...rest, sourceRef: { kind: 'OCIArtifact', url }, variants },
  };
}

function breaking({ charts, spec }: Edition, chart: string): Edition {
  const rehearsed = { 'templates/rehearsed.yaml': '\n{{ fail "this failure is rehearsed" }}\n' };
  return { spec, charts: { ...charts, [chart]: { ...charts[chart], ...rehearsed } } };
}
