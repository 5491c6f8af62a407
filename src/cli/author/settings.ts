import type { AuthorSettings } from '../../compose/authoring.ts';

/** Flags of every command for authors. */
export interface RegistryFlags {
  readonly cacheDir?: string | undefined;
  readonly registryConfig?: string | undefined;
  readonly registryCaFile?: string | undefined;
  readonly plainHttp: boolean;
}

/** Of those that render charts. */
export interface ChartFlags extends RegistryFlags {
  readonly helm?: string | undefined;
}

export function settingsOf(flags: ChartFlags): AuthorSettings {
  const { helm, cacheDir, registryConfig, registryCaFile, plainHttp } = flags;
  return { helm, cacheDir, registryConfig, registryCaFile, plainHttp };
}
