import type { MessagePort } from 'node:worker_threads';
import { asKubepkgError } from '../../api/errors.ts';
import type { Recording } from '../../compose/rehearsal/rehearsals.ts';
import type { CliHost } from '../host.ts';
import { rulesOf } from '../../embedded/scenario/index.ts';
import type { FromHelper, Helper, HelperTask, ToHelper } from './helper.ts';
import { playCase } from './play-from.ts';
import type { RehearsalCase, RehearsalResult } from './rehearsal-case.ts';
import { loadCommands } from './staged-host.ts';

/** The far end of a helper: plays what it is asked for until it is told to end. */
export async function serveHelper(host: CliHost, port: MessagePort, task: HelperTask): Promise<void> {
  const { wishes, snapshot } = task;
  const tell = (message: FromHelper): void => {
    port.postMessage(message);
  };
  const onLog = (line: string): void => {
    tell({ kind: 'log', line });
  };
  await host.withRehearsals({ ...task.settings, onLog }, async (rehearsals) => {
    for (const edition of [wishes.from, wishes.to]) rehearsals.adopt(edition);
    await loadCommands();
    const scenario = { ...task.scenario, onUsed: onceEach(rulesOf(task.scenario), tell) };
    const hands = { host, rehearsals, wishes, scenario };
    const known: { recording?: Recording } = {};
    const play = (what: RehearsalCase): Promise<RehearsalResult> => playCase(hands, { snapshot, ...known }, what);
    await new Promise<void>((resolve) => {
      port.on('message', (message: ToHelper) => {
        if (message.kind === 'end') resolve();
        else if (message.kind === 'learn') known.recording = message.recording;
        else void answer(play, message).then(tell);
      });
    });
  });
  port.close();
}

type PlayRequest = Extract<ToHelper, { readonly kind: 'play' }>;

async function answer(play: Helper['play'], { number, what }: PlayRequest): Promise<FromHelper> {
  try {
    return { kind: 'played', number, result: await play(what) };
  } catch (error) {
    const { code, message, hint } = asKubepkgError(error);
    return { kind: 'failed', number, error: { code, message, hint } };
  }
}

function onceEach(rules: readonly object[], tell: (message: FromHelper) => void): (rule: object) => void {
  const told = new Set<object>();
  return (rule) => {
    if (told.has(rule)) return;
    told.add(rule);
    tell({ kind: 'used', rule: rules.indexOf(rule) });
  };
}
