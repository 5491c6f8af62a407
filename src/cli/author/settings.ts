import type { AuthorSettings } from '../../compose/authoring.ts';

/** Flags of every command for authors that fetches or renders charts. */
export interface ChartFlags {
  readonly helm?: string | undefined;
  readonly cacheDir?: string | undefined;
  readonly registryConfig?: string | undefined;
  readonly registryCaFile?: string | undefined;
  readonly plainHttp: boolean;
}

export function settingsOf(flags: ChartFlags): AuthorSettings {
  const { helm, cacheDir, registryConfig, registryCaFile, plainHttp } = flags;
  return { helm, cacheDir, registryConfig, registryCaFile, plainHttp };
}
