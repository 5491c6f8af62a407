import { asArray, asString, at } from '../../src/lib/json.ts';
import { type ProgramOptions, runProgram } from './run-program.ts';

export interface Kubectl {
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

export async function kubectl(
  { file, env, signal }: Kubectl,
  args: readonly string[],
  options: Pick<ProgramOptions, 'stdin' | 'shown'> = {},
): Promise<string> {
  return runProgram(file, args, { env, signal, ...options });
}

async function getJson(tool: Kubectl, args: readonly string[]): Promise<unknown> {
  return JSON.parse(await kubectl(tool, ['get', ...args, '-o', 'json'])) as unknown;
}

export interface HookRun {
  readonly hook: string;
  readonly from: string;
  readonly to: string;
  readonly ended: string;
  /** When the first component of the revision was begun. */
  readonly firstComponent: string;
}

/** The hook of a revision as the journal has it. */
export async function hookOf(tool: Kubectl, revision: string): Promise<HookRun> {
  const object = await getJson(tool, ['packagerevision.kubepkg.dev', revision]);
  const hook = asArray(at(object, 'status', 'hooks'))[0];
  const begun = asArray(at(object, 'status', 'components')).map((each) => asString(at(each, 'startedAt')) ?? '');
  return {
    hook: asString(at(hook, 'name')) ?? '',
    from: asString(at(object, 'spec', 'fromVersion')) ?? '',
    to: asString(at(object, 'spec', 'version')) ?? '',
    ended: asString(at(hook, 'readyAt')) ?? '',
    firstComponent: begun.sort()[0] ?? '',
  };
}
