import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname, platform } from 'node:os';
import { describe, expect, it } from 'vitest';
import { holderIdentity, isKnownDead } from './holder.ts';

const NAME = `${hostname()}_1`;
const OWN = holderIdentity(NAME);
const PLACE = /_([0-9a-f]{32}\.\d+)\.(\d+)\.(\d+)$/;

/** The identity that another process would have. */
function identityWith(change: (machine: string, pid: string, start: string) => string): string {
  return OWN.replace(PLACE, (_all, machine: string, pid: string, start: string) => `_${change(machine, pid, start)}`);
}

async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid ?? 0;
}

describe.runIf(platform() === 'linux')('the holder of a lease', () => {
  it('says where it lives behind its name', () => {
    expect(OWN.startsWith(`${NAME}_`)).toBe(true);
    expect(PLACE.exec(OWN)?.[2]).toBe(String(process.pid));
  });

  it('that ended on this machine is known to be dead', async () => {
    const pid = String(await endedPid());
    expect(isKnownDead(identityWith((machine, _pid, start) => `${machine}.${pid}.${start}`))).toBe(true);
  });

  it('whose number another process has now is known to be dead', () => {
    expect(isKnownDead(identityWith((machine, pid, start) => `${machine}.${pid}.${String(Number(start) - 1)}`))).toBe(
      true,
    );
  });

  it.each([
    ['lives', OWN],
    ['ran in another boot or on another machine', OWN.replace(/_[0-9a-f]{32}\./, `_${'0'.repeat(32)}.`)],
    ['ran in another container', OWN.replace(/\.\d+\.(\d+\.\d+)$/, '.1.$1')],
    ['says nothing of where it lives', NAME],
    ['is of another program', 'kubepkg-operator-5d4f_0b1c'],
    ['is nobody', ''],
  ])('that %s is not', (_why, identity) => {
    expect(isKnownDead(identity)).toBe(false);
  });

  it('on a machine of another name is not, though nothing has its number here', async () => {
    const pid = String(await endedPid());
    const copy = identityWith((machine, _pid, start) => `${machine}.${pid}.${start}`);
    expect(isKnownDead(`copy-of-${copy}`)).toBe(false);
  });

  it('in another boot is not, though nothing has its number here', async () => {
    const pid = String(await endedPid());
    const elsewhere = identityWith(
      (machine, _pid, start) => `${machine.replace(/^\w{32}/, 'a'.repeat(32))}.${pid}.${start}`,
    );
    expect(isKnownDead(elsewhere)).toBe(false);
  });
});
