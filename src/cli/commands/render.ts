import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { parsePackage, parsePackageSource } from '../../api/parse.ts';
import type { RenderRequest } from '../../compose/authoring.ts';
import type { RenderFormat } from '../../compose/render-formats.ts';
import { didYouMeanHint } from '../../lib/did-you-mean.ts';
import { orderGraph } from '../../lib/graph.ts';
import { type ChartFlags, settingsOf } from '../author/settings.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { type InstallInput, readInput } from '../install/input.ts';
import { packageToApply } from '../install/wanted-packages.ts';
import { oneLine } from '../text/sanitize.ts';
import { writeLines } from '../write-lines.ts';

export interface RenderFlags extends ChartFlags {
  readonly file: readonly string[];
  readonly format: RenderFormat;
  readonly variant?: string | undefined;
  readonly values?: readonly string[] | undefined;
  readonly argoNamespace: string;
  readonly argoProject: string;
}

type Wanted = RenderRequest['packages'][number];

/** Prints packages as objects that need no operator. No cluster is asked for anything. */
export async function runRender(host: CliHost, packages: readonly string[], flags: RenderFlags): Promise<ExitCode> {
  const { file: files, variant, values = [], format, argoNamespace, argoProject } = flags;
  const input = await readInput(host, { packages, files, variant, values });
  const wanted = inOrder(input.names.map((name) => wantedOf(name, input)));
  const authoring = await host.authoring();
  const request = { packages: wanted, format, argoNamespace, argoProject };
  const rendered = await authoring.render(request, settingsOf(flags));
  for (const { text } of rendered) host.stdout.write(text);
  const notes = rendered.flatMap(({ name, losses }) => losses.map((loss) => `note: ${name}: ${oneLine(loss)}`));
  writeLines(host.stderr, notes);
  return EXIT.ok;
}

function wantedOf(name: string, { manifests, settings }: InstallInput): Wanted {
  const written = manifests.sources.find(({ metadata }) => metadata.name === name);
  if (written === undefined) {
    const known = manifests.sources.map(({ metadata }) => metadata.name);
    throw new KubepkgError('NotFound', `the files hold no PackageSource ${name}`, {
      hint: didYouMeanHint(name, known, `they hold ${known.length === 0 ? 'none' : known.join(', ')}`),
    });
  }
  const base = manifests.packages.find(({ metadata }) => metadata.name === name) ?? {};
  const object = packageToApply(name, base, settings.get(name) ?? { values: {} });
  const [source, pkg] = [parsePackageSource(written), parsePackage(object)];
  if (!source.ok) throw source.error;
  if (!pkg.ok) throw pkg.error;
  refuseUnknownComponents(object, { package: pkg.value, source: source.value });
  return { package: pkg.value, source: source.value };
}

/** What nothing is rendered with is a slip. */
function refuseUnknownComponents({ metadata }: KubeObject, { package: pkg, source }: Wanted): void {
  const variant = (source.spec.variants ?? []).find(({ name }) => name === pkg.spec.variant);
  const known = (variant?.components ?? []).map(({ name }) => name);
  const unknown = Object.keys(pkg.spec.components ?? {}).find((name) => !known.includes(name));
  if (variant === undefined || unknown === undefined) return;
  throw new KubepkgError('InvalidInput', `package ${metadata.name} has no component ${unknown}`, {
    hint: didYouMeanHint(unknown, known, `its components are ${known.join(', ')}`),
  });
}

/** Packages after those that they require; a circle is none of a renderer's concern. */
function inOrder(wanted: readonly Wanted[]): readonly Wanted[] {
  const names = wanted.map(({ source }) => source.metadata.name);
  const nodes = wanted.map(({ source, package: pkg }) => {
    const variant = (source.spec.variants ?? []).find(({ name }) => name === pkg.spec.variant);
    const required = [...(variant?.requires ?? []).map((each) => each.package ?? ''), ...(variant?.dependsOn ?? [])];
    return { name: source.metadata.name, dependsOn: required.filter((name) => names.includes(name)) };
  });
  const ordering = orderGraph(nodes);
  if (ordering.kind !== 'ordered') return wanted;
  return ordering.order.flatMap((name) => wanted.filter(({ source }) => source.metadata.name === name));
}
