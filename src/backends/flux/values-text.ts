import type { JsonObject } from '../../lib/json.ts';
import { sha256 } from '../../lib/digest.ts';
import { stableJson } from '../../lib/stable-json.ts';
import { parseYaml, YamlError } from '../../lib/yaml.ts';
import { goYaml } from './go-yaml/document.ts';

/** Legal in JSON; for YAML they are line breaks, or no characters at all. */
const NOT_IN_YAML = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** The values of a release as they are handed to Flux. */
export interface ValuesText {
  readonly text: string;
  /** `sha256:…`, what Flux calls the config digest; undefined where its form of these values is not known. */
  readonly configDigest: string | undefined;
}

/** In Flux's own form wherever that is known and is read back as the same values; else as JSON, which is YAML too. */
export function valuesText(values: JsonObject): ValuesText {
  if (Object.keys(values).length === 0) return { text: '{}\n', configDigest: digest('') };
  const canonical = goYaml(values);
  if (canonical === undefined) return { text: asJson(values), configDigest: undefined };
  const text = isReadBack(canonical, values) ? canonical : asJson(values);
  return { text, configDigest: digest(canonical) };
}

function digest(text: string): string {
  return `sha256:${sha256(text)}`;
}

function isReadBack(text: string, values: JsonObject): boolean {
  try {
    return stableJson(parseYaml(text, 'values')) === stableJson(values);
  } catch (error) {
    if (error instanceof YamlError) return false;
    throw error;
  }
}

function asJson(values: JsonObject): string {
  const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `${JSON.stringify(values).replaceAll(NOT_IN_YAML, escape)}\n`;
}
