import { KubepkgError } from '../../api/errors.ts';
import { parseDuration } from '../../lib/duration.ts';
import { parseConstraint } from '../../lib/semver/constraint.ts';

export interface PackageArgument {
  readonly name: string;
  readonly constraint?: string;
}

const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const MAX_NAME = 63;

/** `NAME` or `NAME@CONSTRAINT`. */
export function parsePackageArgument(text: string): PackageArgument {
  const at = text.indexOf('@');
  const name = at < 0 ? text : text.slice(0, at);
  requirePackageName(name);
  if (at < 0) return { name };
  const constraint = text.slice(at + 1).trim();
  const parsed = parseConstraint(constraint);
  if (constraint === '' || parsed.kind === 'invalid') {
    const why = parsed.kind === 'invalid' && constraint !== '' ? parsed.message : 'the constraint is empty';
    throw new KubepkgError('InvalidInput', `package ${name}: ${why}`, {
      hint: `write a semantic version or a range, such as ${name}@1.2.3 or '${name}@>=1.2 <2'`,
    });
  }
  return { name, constraint };
}

export function requirePackageName(name: string): void {
  if (NAME.test(name) && name.length <= MAX_NAME) return;
  throw new KubepkgError('InvalidInput', `${JSON.stringify(name)} is not a package name`, {
    hint: 'names have at most 63 lower-case letters, digits, dashes and dots, and start and end with a letter or digit',
  });
}

export interface ValuesArgument {
  readonly component: string;
  readonly file: string;
}

/** `COMPONENT=FILE`. */
export function parseValuesArgument(text: string): ValuesArgument {
  const equals = text.indexOf('=');
  if (equals > 0 && equals < text.length - 1) {
    return { component: text.slice(0, equals), file: text.slice(equals + 1) };
  }
  throw new KubepkgError('InvalidInput', `--values ${text} names no component and file`, {
    hint: 'write --values COMPONENT=FILE',
  });
}

/** A duration that is more than zero; gives back its milliseconds. */
export function requireDuration(flag: string, text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new KubepkgError('InvalidInput', `${flag} ${text} is not a duration`, {
    hint: 'write a number and a unit, such as 30s, 10m or 1h30m',
  });
}
