import { styleText } from 'node:util';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type Paint = (style: Style, text: string) => string;

export const plainPaint: Paint = (_style, text) => text;

export const colourPaint: Paint = (style, text) => styleText(style, text, { validateStream: false });

export interface ColourChoice {
  /** `--no-color` was given. */
  readonly refused: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
}

/** `--no-color` and NO_COLOR go before FORCE_COLOR, which goes before what the stream is. */
export function choosePaint({ refused, env, isTerminal }: ColourChoice): Paint {
  const set = (name: string): boolean => env[name] !== undefined && env[name] !== '';
  if (refused || set('NO_COLOR')) return plainPaint;
  if (set('FORCE_COLOR')) return env['FORCE_COLOR'] === '0' ? plainPaint : colourPaint;
  return isTerminal && env['TERM'] !== 'dumb' ? colourPaint : plainPaint;
}
