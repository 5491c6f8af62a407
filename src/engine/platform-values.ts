import { describeError, isCode } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import type { PackageRevision } from '../api/package-revision.ts';
import { recordedChart } from '../domain/release/snapshot.ts';
import type { DesiredPackage } from '../domain/resolve/desired.ts';
import { withAcceptedValues } from '../domain/resolve/platform-values.ts';
import { asString, at, isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { stableJson } from '../lib/stable-json.ts';
import { parseYaml, YamlError } from '../lib/yaml.ts';
import type { ArtifactSource } from '../ports/artifacts.ts';
import type { Cluster, Subscription, WatchEvent } from '../ports/cluster.ts';

/** Key in the Secret. */
const KEY = 'values.yaml';

export type PlatformView =
  /** `values` absent: the installation has none. */
  | { readonly kind: 'known'; readonly values?: JsonObject | undefined }
  | { readonly kind: 'missing'; readonly message: string };

interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/** The values that the installation's owner puts under those of every component: one Secret, followed by a watch. */
export class PlatformValues {
  readonly #secret: SecretName | undefined;
  readonly #onChange: () => void;
  #view: PlatformView;
  #subscription: Subscription | undefined;

  constructor(secret: SecretName | undefined, onChange: () => void) {
    this.#secret = secret;
    this.#onChange = onChange;
    this.#view = secret === undefined ? { kind: 'known' } : missing(secret, 'does not exist');
  }

  view(): PlatformView {
    return this.#view;
  }

  /** Resolves once it is known what the Secret holds, or that it cannot be read. */
  start(cluster: Cluster): Promise<void> {
    const secret = this.#secret;
    if (secret === undefined) return Promise.resolve();
    const { namespace, name } = secret;
    const selection = { apiVersion: 'v1', kind: 'Secret', namespace, fieldSelector: `metadata.name=${name}` };
    return new Promise((resolve) => {
      this.#subscription = cluster.watch(selection, (event) => {
        this.#take(event, secret);
        if (event.type === 'synced' || isRefusal(event)) resolve();
      });
    });
  }

  stop(): void {
    this.#subscription?.stop();
  }

  #take(event: WatchEvent, secret: SecretName): void {
    if (event.type === 'set') this.#turnTo(readSecret(event.object, secret));
    if (event.type === 'gone') this.#turnTo(missing(secret, 'does not exist'));
    if (isRefusal(event)) this.#turnTo(missing(secret, `cannot be read: ${describeError(event.error)}`));
  }

  #turnTo(view: PlatformView): void {
    const isSame = stableJson(view) === stableJson(this.#view);
    this.#view = view;
    if (!isSame) this.#onChange();
  }
}

function isRefusal(event: WatchEvent): event is Extract<WatchEvent, { type: 'disturbed' }> {
  return event.type === 'disturbed' && isCode(event.error, 'ApiForbidden');
}

/** What it holds is never part of a message. */
function readSecret(object: KubeObject, secret: SecretName): PlatformView {
  const encoded = asString(at(object, 'data', KEY));
  if (encoded === undefined) return missing(secret, `has no key ${KEY}`);
  const values = parsed(Buffer.from(encoded, 'base64').toString());
  if (values === null) return { kind: 'known', values: {} };
  return isJsonObject(values) ? { kind: 'known', values } : missing(secret, `holds no YAML map in key ${KEY}`);
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseYaml(text, KEY);
  } catch (error) {
    if (error instanceof YamlError) return undefined;
    throw error;
  }
}

function missing({ namespace, name }: SecretName, what: string): PlatformView {
  const message = `Secret ${namespace}/${name} with the platform's values ${what}; no revision starts until it is there`;
  return { kind: 'missing', message };
}

/** The desired state with the values that a revision has recorded: what a chart's schema refuses is left out. */
export async function recordedDesired(
  artifacts: ArtifactSource,
  revision: PackageRevision,
  desired: DesiredPackage,
): Promise<DesiredPackage> {
  const accepted = new Map<string, readonly string[] | undefined>();
  const recorded = [...(revision.spec.components ?? []), ...(revision.spec.hooks ?? [])];
  for (const { name, platformKeys = [] } of [...desired.components, ...desired.hooks]) {
    const component = recorded.find((candidate) => candidate.name === name);
    const ref = component === undefined ? undefined : recordedChart(component);
    if (platformKeys.length > 0 && ref !== undefined) accepted.set(name, (await artifacts.fetch(ref)).valuesKeys);
  }
  return withAcceptedValues(desired, (component) => accepted.get(component));
}
