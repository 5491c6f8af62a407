import { BACKENDS, DEFAULT_BACKEND } from '../src/compose/backend-names.ts';
import { type BackendChoices, createBackends } from '../src/compose/backends.ts';
import type { Backend, BackendCapabilities } from '../src/ports/backend.ts';
import { VirtualClock } from '../test/fakes/clock.ts';
import { MemoryCluster } from '../test/fakes/memory-cluster.ts';
import { code, page, type ReferencePage, table } from './generate-reference.ts';

const MEANINGS: Readonly<Record<keyof BackendCapabilities, string>> = {
  runsProcesses: 'the operator delivers by itself; otherwise it instructs a controller',
  adoptsObjects: 'releases and objects that exist are taken over when annotation `kubepkg.dev/adopt` asks for it',
  secretValues: "packages may get values from the platform's Secret",
  previewsObjects: 'the objects of a release are known before it is delivered',
};

const CHOICES: BackendChoices = { argoNamespace: 'argocd', argoProject: 'default', argoInlineSecretValues: false };

export function backendPage(): ReferencePage {
  const backends = everyBackend(CHOICES);
  const optIn = everyBackend({ ...CHOICES, argoInlineSecretValues: true });
  const rows = keysOf(MEANINGS).map((capability) => [
    code(capability),
    MEANINGS[capability],
    ...BACKENDS.map((id) => answerOf(capability, backends.get(id), optIn.get(id))),
  ]);
  const more = [
    [
      '',
      'revisions that the Go implementation delivered are taken over',
      ...BACKENDS.map((id) => say(backends.get(id)?.archive !== undefined)),
    ],
    [
      '',
      'needs kinds and controllers of its own in the cluster',
      ...BACKENDS.map((id) => say(backends.get(id)?.surroundings !== undefined)),
    ],
  ];
  const text = page(
    'Backends',
    `What delivers the releases of a package: ${BACKENDS.map(code).join(', ')}; ${code(DEFAULT_BACKEND)} unless the operator (${code('--backend')}) or the package (${code('spec.backend')}) names another. Where one cannot do something, the package is refused before anything is touched, with the reason and the way out.`,
    table(['capability', 'meaning', ...BACKENDS.map(code)], [...rows, ...more]),
  );
  return { path: 'docs/reference/backends.md', text };
}

function answerOf(
  capability: keyof BackendCapabilities,
  usual: Backend | undefined,
  asked: Backend | undefined,
): string {
  const [is, couldBe] = [usual, asked].map((backend) => backend?.capabilities[capability] === true);
  if (is === couldBe) return say(is === true);
  return 'with `--argo-inline-secret-values`';
}

function say(yes: boolean): string {
  return yes ? 'yes' : 'no';
}

function keysOf<T extends object>(object: T): readonly (keyof T)[] {
  return Object.keys(object) as (keyof T)[];
}

/** Made to be asked what they can do, and nothing else. */
function everyBackend(choices: BackendChoices): ReadonlyMap<string, Backend> {
  const never = (): Promise<never> => Promise.reject(new Error('nothing is to be done here'));
  return createBackends(choices, {
    cluster: new MemoryCluster(),
    clock: new VirtualClock(),
    runner: { run: never },
    helm: { binary: 'helm', environment: {} },
    tempDir: 'nowhere',
    charts: { locate: never, refuses: () => undefined },
  });
}
