/** What the helm at hand can do; asked once, since flags differ between its lines. */
export interface HelmVersion {
  readonly text: string;
  readonly major: number;
  readonly minor: number;
}

export function parseHelmVersion(output: string): HelmVersion | undefined {
  const match = /v?(\d+)\.(\d+)\.\d+\S*/.exec(output);
  if (match === null) return undefined;
  return { text: match[0].replace(/^v?/, 'v'), major: Number(match[1]), minor: Number(match[2]) };
}

export function isSupported(version: HelmVersion): boolean {
  return version.major === 4 || (version.major === 3 && version.minor >= 14);
}

/** Helm 4 applies on the server and can take over fields that others hold. */
export function appliesServerSide(version: HelmVersion): boolean {
  return version.major >= 4;
}

export function canSkipSchema(version: HelmVersion): boolean {
  return atLeast(version, 16);
}

export function canHideNotes(version: HelmVersion): boolean {
  return atLeast(version, 16);
}

export function canTakeOwnership(version: HelmVersion): boolean {
  return atLeast(version, 17);
}

function atLeast(version: HelmVersion, minorOfThree: number): boolean {
  return version.major > 3 || (version.major === 3 && version.minor >= minorOfThree);
}
