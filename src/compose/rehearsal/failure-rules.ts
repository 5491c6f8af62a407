import type { Command, CommandResult } from '../../ports/process.ts';
import type { PodRule } from '../../embedded/scenario/index.ts';
import type { Failure } from './failure.ts';

/** How the pods of what is to fail behave; they come before what a scenario says. */
export function failingPods(failures: readonly Failure[]): readonly PodRule[] {
  return failures.flatMap(({ kind, namespace, releaseName: release }): readonly PodRule[] => {
    const match = { namespace, release };
    switch (kind) {
      case 'render':
        return [];
      case 'hook':
        return [{ match, behaviour: 'fail', exitCode: 1, log: ['this failure is rehearsed'] }];
      case 'crash':
        return [{ match, behaviour: 'crash', exitCode: 1, log: ['this failure is rehearsed'] }];
      case 'never-ready':
        return [{ match, behaviour: 'never-ready' }];
    }
  });
}

const RENDERING = new Set(['template', 'upgrade', 'install']);

/** Helm's answer for a chart that is to fail; undefined: helm itself is asked. */
export function failingRender(failures: readonly Failure[], { args, env }: Command): CommandResult | undefined {
  const isRendering = args.some((word) => RENDERING.has(word));
  const failing = failures.find(({ kind, releaseName, namespace }) => {
    const isThere =
      args.includes(namespace) || args.includes(`--namespace=${namespace}`) || env['HELM_NAMESPACE'] === namespace;
    return kind === 'render' && args.includes(releaseName) && isThere;
  });
  if (!isRendering || failing === undefined) return undefined;
  const where = `${failing.releaseName}/templates/rehearsed.yaml:1:4`;
  const stderr = `Error: execution error at (${where}): this failure is rehearsed\n`;
  return { exitCode: 1, stdout: '', stderr };
}
