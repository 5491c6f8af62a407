import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writePrivateFile } from './private-file.ts';

describe('a private file', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubepkg-host-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

  it('P18 is for its owner alone, also where others could read the file that it replaces', async () => {
    const path = join(folder, 'shop.plan');
    writeFileSync(path, 'old and longer');
    chmodSync(path, 0o644);
    await writePrivateFile(path, 'new');
    expect([readFileSync(path, 'utf8'), modeOf(path), readdirSync(folder)]).toEqual(['new', '600', ['shop.plan']]);
  });

  it('is for its owner alone when it is new', async () => {
    const path = join(folder, 'shop.plan');
    await writePrivateFile(path, 'new');
    expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['new', '600']);
  });

  it('goes where a link leads, which stays', async () => {
    const [path, link] = [join(folder, 'shop.plan'), join(folder, 'link')];
    writeFileSync(path, 'old');
    symlinkSync(path, link);
    await writePrivateFile(link, 'new');
    expect([readFileSync(path, 'utf8'), modeOf(path), readdirSync(folder)]).toEqual([
      'new',
      '600',
      ['link', 'shop.plan'],
    ]);
  });

  it('goes to what is no file as it is', async () => {
    await writePrivateFile('/dev/null', 'new');
    expect(statSync('/dev/null').isFile()).toBe(false);
  });

  it('leaves nothing behind where it cannot be written', async () => {
    const path = join(folder, 'there', 'shop.plan');
    await expect(writePrivateFile(path, 'new')).rejects.toThrow('ENOENT');
    expect(readdirSync(folder)).toEqual([]);
  });
});
