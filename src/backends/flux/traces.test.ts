import { describe, expect, it } from 'vitest';
import {
  readAttempts,
  readTrace,
  type Trace,
  traceNames,
  type Version,
  versionsOf,
} from '../../../test/build/flux-trace.ts';
import { expectGolden } from '../../../test/golden/expect-golden.ts';
import { asString, at } from '../../lib/json.ts';
import { factsOf } from './facts.ts';
import { interpret } from './interpret.ts';
import { situationOf } from './situation.ts';
import { valuesText } from './values-text.ts';

const ATTEMPTS = readAttempts();

/** One line of what a person reading the trace has to agree with. */
function verdictOf({ object, target, now, attempt }: Version): string {
  const { generation = 0, deletionTimestamp } = object.metadata;
  const head = `${target.releaseName} G${String(generation)} ${attempt.token}`;
  if (deletionTimestamp !== undefined) return `${head}: is being deleted`;
  const facts = factsOf(object);
  const release = interpret(facts, target, { now, values: { known: attempt.values } });
  const { delivery, goesOn, failure, revision, token, message } = release;
  const situation = situationOf(facts);
  const state = [
    situation === delivery ? delivery : `${delivery} (${situation})`,
    ...(goesOn === true ? ['goes on'] : []),
    ...(failure === undefined ? [] : [failure.code]),
    ...(token === attempt.token ? [] : ['not this attempt']),
    `r${String(revision)}`,
  ];
  return `${head} ${state.join(', ')}: ${message}`;
}

function tableOf(trace: Trace): string {
  const actions = trace.events
    .filter(({ type }) => type === 'action')
    .map(({ t, ...rest }) => ({ t, line: `>>> ${String(rest['do'])}` }));
  const last = new Map<string, string>();
  const changes = versionsOf(trace, ATTEMPTS).flatMap((version) => {
    const line = verdictOf(version);
    const { releaseName } = version.target;
    if (last.get(releaseName) === line) return [];
    last.set(releaseName, line);
    return [{ t: version.t, line }];
  });
  const lines = [...actions, ...changes]
    .sort((a, b) => a.t - b.t)
    .map(({ t, line }) => `${String(t).padStart(6)} ${line}`);
  return `${trace.file}: ${trace.title}\n\n${lines.join('\n')}\n`;
}

describe('recorded traces of helm-controller', () => {
  it.each(traceNames())('%s gives the verdicts that a person reading it gives', (file) => {
    expectGolden(`test/fixtures/flux-verdicts/${file}.txt`, tableOf(readTrace(file)));
  });

  it('every digest of values that Flux gave is the one that is foretold from them', () => {
    const foretold = new Set(ATTEMPTS.map(({ values }) => valuesText(values).configDigest));
    const given = traceNames().flatMap((file) =>
      readTrace(file).events.flatMap((event) => asString(at(event, 'status', 'lastAttemptedConfigDigest')) ?? []),
    );
    expect([...new Set(given)].filter((digest) => !foretold.has(digest))).toEqual([]);
  });
});
