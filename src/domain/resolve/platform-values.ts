import { ANNOTATION } from '../../api/names.ts';
import type { PackageSource } from '../../api/package-source.ts';
import { type JsonObject, mergeValues } from '../../lib/json.ts';
import type { DesiredComponent, DesiredPackage } from './desired.ts';

type Valued = Pick<DesiredComponent, 'values' | 'platformKeys'>;

/** The platform's values, as far as a package takes them. */
export function platformValuesOf(source: PackageSource, platform: JsonObject | undefined): JsonObject | undefined {
  return source.metadata.annotations?.[ANNOTATION.skipPlatformValues] === 'true' ? undefined : platform;
}

/** A component's own values over the platform's; remembers which keys nobody but the platform has asked for. */
export function withPlatformValues(own: JsonObject, platform: JsonObject | undefined): Valued {
  const platformKeys = Object.keys(platform ?? {}).filter((key) => !Object.hasOwn(own, key));
  const values = mergeValues(platform ?? {}, own);
  return platformKeys.length === 0 ? { values } : { values, platformKeys: platformKeys.sort() };
}

/** Without what only the platform asked for and the schema of a chart refuses; what the user wrote is never left out. */
export function withAcceptedValues(
  desired: DesiredPackage,
  /** Top-level keys that the chart of a component knows; undefined: it takes any. */
  acceptedKeys: (component: string) => readonly string[] | undefined,
): DesiredPackage {
  const accept = (component: DesiredComponent): DesiredComponent => {
    const known = acceptedKeys(component.name);
    const refused = new Set((component.platformKeys ?? []).filter((key) => known?.includes(key) === false));
    if (refused.size === 0) return component;
    const values = Object.fromEntries(Object.entries(component.values).filter(([key]) => !refused.has(key)));
    return { ...component, values };
  };
  return { ...desired, components: desired.components.map(accept), hooks: desired.hooks.map(accept) };
}
