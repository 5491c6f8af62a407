import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { asString, at } from '../../lib/json.ts';
import type { KubeconfigSection } from './kubeconfig-section.ts';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** PEM text from `FIELD-data`, otherwise from the file that `FIELD` names. */
export function pemOf(section: KubeconfigSection, field: string): string | undefined {
  const data = section.string(`${field}-data`);
  if (data !== undefined) return checkedPem(section, `${field}-data`, decode(section, `${field}-data`, data));
  const path = pathOf(section, field);
  return path === undefined ? undefined : checkedPem(section, field, readText(section, field, path));
}

/** A path of the kubeconfig, relative to its folder. */
export function pathOf(section: KubeconfigSection, field: string): string | undefined {
  const path = section.string(field);
  return path === undefined ? undefined : resolve(dirname(section.file), path);
}

function readText(section: KubeconfigSection, field: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = asString(at(error, 'code')) ?? 'error';
    throw section.invalid(
      field,
      `names ${path}, which cannot be read (${code})`,
      'correct the path, or make it readable',
    );
  }
}

function decode(section: KubeconfigSection, field: string, data: string): string {
  const packed = data.replace(/[\r\n]/g, '');
  if (!BASE64.test(packed) || packed.length % 4 !== 0) {
    throw section.invalid(field, 'is not base64', 'encode the PEM file with "base64 -w0"');
  }
  return Buffer.from(packed, 'base64').toString('utf8');
}

function checkedPem(section: KubeconfigSection, field: string, text: string): string {
  if (text.includes('-----BEGIN ')) return text;
  throw section.invalid(field, 'is not PEM', 'it must hold a block that starts with "-----BEGIN"');
}
