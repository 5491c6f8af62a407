import { asNumber, asString, at } from '../../lib/json.ts';
import { badRequest } from './refusals.ts';

/** Where the next page of a list begins. */
export interface ContinueToken {
  /** Absent: at whatever there is then, as a token may say that is given for an expired one. */
  readonly revision: number | undefined;
  /** Key of the last object before it. */
  readonly after: string;
}

export function writeContinue({ revision, after }: ContinueToken): string {
  const value = { v: 'meta.k8s.io/v1', rv: revision ?? -1, start: after };
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

export function readContinue(text: string): ContinueToken {
  const value = parsed(text);
  const revision = asNumber(at(value, 'rv'));
  const after = asString(at(value, 'start'));
  if (revision === undefined || after === undefined || at(value, 'v') !== 'meta.k8s.io/v1') {
    throw badRequest('invalid continue token: continue key is not valid: it is none of this server');
  }
  return { revision: revision < 0 ? undefined : revision, after };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
