import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createTempDir } from './temp-dir.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubepkg-compose-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('the folder of one run', () => {
  it('is there, and is removed with all that is in it', () => {
    const parent = join(folder, 'cache');
    const temp = createTempDir(parent);
    mkdirSync(join(temp.path, 'helm'));
    temp.remove();
    temp.remove();
    expect(readdirSync(parent)).toEqual([]);
  });

  it('takes along what killed runs left, and nothing else', () => {
    const parent = join(folder, 'left');
    const { pid: dead } = spawnSync(process.execPath, ['-e', '0']);
    const names = {
      dead: `run-${String(dead)}-a`,
      own: `run-${String(process.pid)}-b`,
      other: `run-${String(process.ppid)}-c`,
    };
    for (const name of [...Object.values(names), 'charts', 'run-x-d'])
      mkdirSync(join(parent, name), { recursive: true });
    const another = createTempDir(parent, false);
    expect(readdirSync(parent)).toContain(names.dead);
    another.remove();
    const temp = createTempDir(parent, true);
    const left = readdirSync(parent).filter((name) => join(parent, name) !== temp.path);
    expect(left).toEqual(['charts', names.other, 'run-x-d'].sort());
  });

  it('says which folder cannot be used', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(() => createTempDir(file)).toThrow(expect.objectContaining({ code: 'InvalidInput' }));
  });
});
