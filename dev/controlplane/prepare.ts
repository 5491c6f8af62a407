import { join } from 'node:path';
import { type BuildPlace, buildGo, findGo, goCacheKey } from './build-go.ts';
import { cacheRoot, ensureEntry } from './cache.ts';
import { fetchTools, npmCacheKey } from './fetch-tools.ts';
import { findExisting } from './find-existing.ts';
import { makeCrds } from './make-crds.ts';
import { PAUSES_MS } from './network-faults.ts';
import type { CorePart, Group, PartName } from './pins.ts';
import { CORE_PARTS, GROUPS } from './pins.ts';
import { findProjectRoot } from './project-root.ts';

export type Progress = (line: string) => void;

export interface PrepareOptions<P extends PartName = CorePart> {
  /** What is needed; the core when left out. */
  readonly parts?: readonly P[];
  readonly projectRoot?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly onProgress?: Progress | undefined;
  /** How often a long build says that it is still going. */
  readonly heartbeatMs?: number;
  /** Before what the network has broken is done again. */
  readonly pausesMs?: readonly number[];
}

/** Absolute paths of executables, and of folders with CustomResourceDefinitions. */
export type Binaries<P extends PartName = CorePart> = Readonly<Record<P, string>>;

interface Context {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: Progress;
  readonly heartbeatMs: number;
  readonly pausesMs: readonly number[];
}

const HEARTBEAT_MS = 15_000;

/** Finds each part on the machine, or else makes it once and keeps it in the cache folder. */
export async function prepare<P extends PartName = CorePart>(options: PrepareOptions<P> = {}): Promise<Binaries<P>> {
  const context = contextOf(options);
  const parts: readonly PartName[] = options.parts ?? CORE_PARTS;
  const found = new Map<PartName, string>();
  const missing = await findMissing(parts, found, context.env);
  for (const [index, group] of missing.entries()) {
    const folder = await ensureGroup(group, `[${String(index + 1)}/${String(missing.length)}]`, context);
    for (const part of group.parts) if (!found.has(part)) found.set(part, join(folder, part));
  }
  return Object.fromEntries(parts.map((part) => [part, found.get(part)])) as Binaries<P>;
}

function contextOf(options: PrepareOptions<PartName>): Context {
  return {
    root: options.projectRoot ?? findProjectRoot(),
    env: options.env ?? process.env,
    onProgress: options.onProgress ?? (() => undefined),
    heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS,
    pausesMs: options.pausesMs ?? PAUSES_MS,
  };
}

async function findMissing(
  parts: readonly PartName[],
  found: Map<PartName, string>,
  env: NodeJS.ProcessEnv,
): Promise<readonly Group[]> {
  const paths = await Promise.all(parts.map((part) => findExisting(part, env)));
  for (const [index, part] of parts.entries()) {
    const path = paths[index];
    if (path !== undefined) found.set(part, path);
  }
  return GROUPS.filter((group) => group.parts.some((part) => parts.includes(part) && !found.has(part)));
}

async function ensureGroup(group: Group, count: string, context: Context): Promise<string> {
  const what = `${group.parts.join(', ')} (${group.version})`;
  const title = `${count} ${verbOf(group)} ${what}`;
  const { root, env, pausesMs } = context;
  const say = (text: string): void => {
    context.onProgress(`${title}: ${text}`);
  };
  return ensureEntry({
    root: cacheRoot(context.env),
    name: `${group.name}-${await keyOf(group, context)}`,
    onWait: (holder) => {
      context.onProgress(`${count} waiting for process ${String(holder ?? '?')}, which is making ${what}`);
    },
    make: (folder) =>
      withHeartbeat(title, context, () => make(group, folder, { root, env, patience: { pausesMs, say } })),
  });
}

async function keyOf(group: Group, context: Context): Promise<string> {
  if (group.kind === 'npm') return npmCacheKey(group);
  return goCacheKey(group, await findGo(context.env, group.parts.join(', ')), context.root);
}

function verbOf(group: Group): string {
  return group.kind === 'npm' ? 'fetching' : 'building';
}

function make(group: Group, folder: string, where: BuildPlace): Promise<void> {
  if (group.kind === 'npm') return fetchTools(group, folder, where);
  return group.kind === 'go' ? buildGo(group, folder, where) : makeCrds(group, folder, where);
}

async function withHeartbeat(title: string, context: Context, work: () => Promise<void>): Promise<void> {
  const { onProgress, heartbeatMs } = context;
  const started = Date.now();
  const elapsed = (): string => `${String(Math.round((Date.now() - started) / 1000))} s`;
  onProgress(title);
  const heartbeat = setInterval(() => {
    onProgress(`${title}: ${elapsed()} so far`);
  }, heartbeatMs);
  try {
    await work();
    onProgress(`${title}: done in ${elapsed()}`);
  } finally {
    clearInterval(heartbeat);
  }
}
