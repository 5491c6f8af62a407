import { join } from 'node:path';
import type { PartName } from './pins.ts';
import type { VersionProbe } from './probes.ts';
import { PROBES } from './probes.ts';
import { candidatesOnPath, isExecutable, runCommand } from './processes.ts';

/** A binary the machine already has, if one is at a version that behaves like the pinned one. */
export async function findExisting(part: PartName, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const probe = PROBES[part];
  if (probe === undefined) return undefined;
  const assets = env['KUBEBUILDER_ASSETS'];
  const candidates = [
    ...(assets ? [join(assets, part)].filter(isExecutable) : []),
    ...candidatesOnPath(part, env['PATH']),
  ];
  for (const candidate of candidates) {
    if (await isSuitable(probe, candidate, env)) return candidate;
  }
  return undefined;
}

async function isSuitable(probe: VersionProbe, candidate: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const result = await runCommand(candidate, probe.args, { env, timeoutMs: 10_000 });
  return result.code === 0 && versionSuits(probe, result.stdout);
}

export function versionSuits(probe: VersionProbe, output: string): boolean {
  const match = probe.pattern.exec(output);
  return match !== null && probe.suits(Number(match[1]), Number(match[2]));
}
