import { styleText } from 'node:util';

export function heading(text: string): void {
  process.stdout.write(`\n${style('bold', `▸ ${text}`)}\n`);
}

export function say(text: string): void {
  process.stdout.write(`  ${text}\n`);
}

function style(format: 'bold', text: string): string {
  return process.stdout.isTTY && process.env.NO_COLOR === undefined ? styleText(format, text) : text;
}

/** A mistake of the person at the keyboard, or of their machine: said without a stack. */
export class DemoError extends Error {}
