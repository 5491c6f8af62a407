import { describe, expect, it } from 'vitest';
import { CliWorld } from '../../../test/fakes/cli-world.ts';
import { buildProgram } from './program.ts';

const host = new CliWorld().host();
const run = (): Promise<void> => Promise.resolve();
const whole = buildProgram(host, run);
const names = whole.commands.map((command) => command.name());

function optionsOf(program: typeof whole, name: string): unknown {
  const command = program.commands.find((one) => one.name() === name);
  return command && [command.helpInformation(), command.options.map(({ flags, hidden }) => [flags, hidden])];
}

describe('as much of the command line as one command needs', () => {
  it.each(names)('has %s as the whole has it, and not everything else', (name) => {
    const part = buildProgram(host, run, name);
    expect(optionsOf(part, name)).toEqual(optionsOf(whole, name));
    expect(part.commands.length).toBeLessThan(names.length);
  });

  it.each([undefined, 'help', '__complete', '--kubeconfig', 'lst', 'list status'])('is the whole for %s', (word) => {
    expect(buildProgram(host, run, word).commands.map((command) => command.name())).toEqual(names);
  });
});
