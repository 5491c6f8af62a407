/** A tag cannot hold `+`, and a version no `_`: Helm stores the one as the other, and so does everything here. */
export function tagOfVersion(version: string): string {
  return version.replaceAll('+', '_');
}
