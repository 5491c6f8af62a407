export interface Floor {
  readonly floor: number;
  readonly steps: readonly (readonly string[])[];
}

export interface Room {
  readonly name: string;
  readonly pattern: string;
  readonly floor: number;
  readonly step: number;
  readonly packages: readonly string[];
  readonly builtins: readonly string[] | 'all';
}

export const FLOORS: readonly Floor[];
export const PICKERS: readonly string[];
export function roomOf(path: string): Room | undefined;
export function isTestFile(path: string): boolean;
export function judgeImport(from: string, to: string): string | undefined;
export function judgePackage(from: string, specifier: string): string | undefined;
