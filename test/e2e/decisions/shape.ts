import type { SourceComponent, WrittenPackageSourceSpec } from '../../../src/api/package-source.ts';
import type { FailureKind } from '../../../src/compose/rehearsal/failure.ts';
import type { ChartFiles } from '../operator/charts.ts';
import type { Step } from '../operator/fake-operator.ts';

/** One version of a package, as its author publishes it. */
export interface Edition {
  readonly charts: Readonly<Record<string, ChartFiles>>;
  readonly spec: Pick<WrittenPackageSourceSpec, 'version' | 'rollback'> & {
    readonly components: readonly SourceComponent[];
  };
}

/** A controller that no cluster brings along: on the real control plane a fake one, in a rehearsal a script. */
export interface Controller {
  readonly group: string;
  readonly kind: string;
  /** A Deployment without which it is not there. */
  readonly deployment: string;
  /** It makes its definition by itself, later than somebody asks for it; false: a chart has it. */
  readonly definesLate: boolean;
  /** What it does to objects of each edition. */
  readonly scripts: readonly [before: readonly Step[], after: readonly Step[]];
}

/** A package before and after an upgrade, whose names all begin with an id. */
export interface Shape {
  readonly name: string;
  /** What it has of the field cases. */
  readonly cases: string;
  readonly editions: (id: string) => readonly [before: Edition, after: Edition];
  /** Each is played by itself, besides the upgrade as it is. */
  readonly failures: readonly (readonly [component: string, kind: FailureKind])[];
  /** Something that comes with the upgrade is never ready, whatever else is played. */
  readonly waitsInVain?: boolean;
  readonly controller?: (id: string) => Controller;
  /** Of a scenario: where the two clusters are not alike by themselves. */
  readonly likeness?: string;
}

type Install = NonNullable<SourceComponent['install']>;

/** Makes components of a namespace; each is called as the folder of its chart. */
export function at(namespace: string): (path: string, install?: Install) => SourceComponent {
  return (path, install = {}) => ({ name: path, path, install: { namespace, ...install } });
}

/** The two versions of most packages. */
export const VERSIONS = ['1.0.0', '1.1.0'] as const;

export function edition(
  version: string,
  charts: Readonly<Record<string, ChartFiles>>,
  components: readonly SourceComponent[],
  safe = true,
): Edition {
  return { charts, spec: { version, rollback: { safe }, components } };
}
