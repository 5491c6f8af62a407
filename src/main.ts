import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { reportOutputError, runCli } from './cli/main.ts';
import { createProcessHost } from './cli/node-host.ts';
import type { CliHost } from './cli/host.ts';
import type { HelperTask } from './cli/rehearse/helper.ts';
import { createClock } from './compose/clock.ts';

declare const __KUBEPKG_VERSION__: string;

/** The one program: the command line, and the operator as one of its commands. Each part is loaded when it is used. */
function createHost(): CliHost {
  const host = createProcessHost();
  const clock = createClock();
  const { env } = host;
  const version = __KUBEPKG_VERSION__;
  return {
    ...host,
    clock,
    version,
    connect: async (target) => {
      const { connectCluster } = await import('./compose/cluster.ts');
      return connectCluster(target, { clock, env, version, terminal: host.stdinIsTerminal });
    },
    pushTree: async (request) => {
      const { pushPackageTree } = await import('./compose/artifacts.ts');
      return pushPackageTree(request, { clock, env });
    },
    authoring: async () => {
      const { createAuthoring } = await import('./compose/authoring.ts');
      return createAuthoring({ clock, env });
    },
    liveRelease: async (cluster, place) => {
      const { readLiveRelease } = await import('./compose/live-values.ts');
      return readLiveRelease(cluster, place);
    },
    plan: async (place, settings, request) => {
      // What plans is loaded while the API server is asked what is to be planned.
      const [{ createPlan }, asked] = await Promise.all([import('./compose/create-plan.ts'), request]);
      return createPlan({ ...place, clock, env }, settings, asked);
    },
    runCommand: runCli,
    withRehearsals: async (settings, use) => {
      const { withRehearsals } = await import('./compose/rehearsal/rehearsals.ts');
      const { runRehearsedOperator } = await import('./operator/rehearsed.ts');
      return withRehearsals({ clock, env, startOperator: runRehearsedOperator }, settings, use);
    },
    hireHelpers: async (task, ears) => {
      const { hireHelpers } = await import('./cli/rehearse/hire-helpers.ts');
      return hireHelpers(new URL(import.meta.url), task, ears);
    },
    runOperator: async (flags) => {
      const { runOperator } = await import('./operator/main.ts');
      return runOperator({ ...flags, version, stop: host.interrupted, insist: host.insisted });
    },
    runLocalOperator: async (flags, life) => {
      const { runLocalOperator } = await import('./operator/local.ts');
      return runLocalOperator({ ...flags, version, ...life, insist: host.insisted });
    },
  };
}

async function main(): Promise<void> {
  const argv = process.argv.slice(2);
  const host = createHost();
  process.stdout.on('error', (error: Error) => {
    process.exit(reportOutputError(argv, host, error));
  });
  process.exitCode = await runCli(argv, host);
}

/** Another thread of this program rehearses upgrades beside the first one. */
async function help(): Promise<void> {
  if (parentPort === null) return;
  const { serveHelper } = await import('./cli/rehearse/serve-helper.ts');
  await serveHelper(createHost(), parentPort, workerData as HelperTask);
}

await (isMainThread ? main() : help());
