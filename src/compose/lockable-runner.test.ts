import { describe, expect, it } from 'vitest';
import type { CommandResult } from '../ports/process.ts';
import { lockable } from './lockable-runner.ts';

describe('a runner that is locked', () => {
  it('kills what runs, and starts nothing any more', async () => {
    const calls: string[] = [];
    const result: CommandResult = { exitCode: 0, stdout: '', stderr: '' };
    const runner = lockable({
      run: () => {
        calls.push('run');
        return Promise.resolve(result);
      },
      killAll: () => {
        calls.push('killAll');
        return Promise.resolve();
      },
    });
    const command = { file: 'helm', args: [], env: {} };
    expect(await runner.run(command)).toBe(result);
    await runner.lock();
    expect(await runner.run(command)).toEqual({ signal: 'SIGKILL', stdout: '', stderr: '' });
    expect(calls).toEqual(['run', 'killAll']);
  });
});
