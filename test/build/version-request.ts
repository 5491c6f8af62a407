import type { Requirement } from '../../src/api/package-source.ts';
import type {
  AskedPackage,
  InstalledPackage,
  OfferedVersion,
  VersionRequest,
} from '../../src/domain/resolve/solve/request.ts';

interface Offering extends Partial<Omit<OfferedVersion, 'name' | 'version'>> {
  readonly requires?: readonly string[];
}

/** `anOffer('shop 1.2.0', { requires: ['base >=2', 'cap:ingress', '?cache <3'] })`. */
export function anOffer(what: string, { requires = [], ...more }: Offering = {}): OfferedVersion {
  const [name = '', version] = what.split(' ');
  const variants = [{ name: 'default', requires: requires.map(aRequirement) }];
  return { name, version, build: 0, provides: [], conflicts: [], variants, ...more };
}

/** `anInstalled('shop 1.2.0', { requires: ['base <2'] })`; without a version nothing is applied yet. */
export function anInstalled(
  what: string,
  { requires = [], ...more }: Partial<Omit<InstalledPackage, 'requires'>> & { requires?: readonly string[] } = {},
): InstalledPackage {
  const [name = '', version] = what.split(' ');
  const none = { ignores: [], provides: [], conflicts: [], variant: 'default' };
  return { name, version, ...none, ...more, requires: requires.map(aRequirement) };
}

/** `shop`, or `shop@>=1`. */
export function anAsk(what: string, more: Partial<AskedPackage> = {}): AskedPackage {
  const at = what.indexOf('@');
  return at < 0 ? { name: what, ...more } : { name: what.slice(0, at), constraint: what.slice(at + 1), ...more };
}

/** `base`, `base >=2 <3`, `cap:ingress`; a question mark before it makes it optional. */
export function aRequirement(text: string): Requirement {
  const optional = text.startsWith('?');
  const body = optional ? text.slice(1) : text;
  const more = optional ? { optional } : {};
  if (body.startsWith('cap:')) return { capability: body.slice('cap:'.length), ...more };
  const space = body.indexOf(' ');
  return space < 0
    ? { package: body, ...more }
    : { package: body.slice(0, space), version: body.slice(space + 1), ...more };
}

export function aRequest(more: Partial<VersionRequest>): VersionRequest {
  return { installed: [], offers: [], asked: [], servedApis: [], ...more };
}
