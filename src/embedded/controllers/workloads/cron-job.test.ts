import { describe, expect, it } from 'vitest';
import { aJob, behaviour, type WorkloadParts } from '../../../../test/build/embedded-workloads.ts';
import { embeddedScene } from '../../../../test/fakes/embedded-scene.ts';
import type { JsonMap } from '../../model/object.ts';
import { nextTime, parseSchedule } from './cron-schedule.ts';

function aCronJob(spec: JsonMap, parts: WorkloadParts = {}): JsonMap {
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'nightly', namespace: 'default' },
    spec: { schedule: '*/5 * * * *', jobTemplate: { spec: aJob(parts).spec }, ...spec },
  };
}

describe('a schedule', () => {
  it.each([
    ['*/15 * * * *', '2030-01-01T00:01:00Z', '2030-01-01T00:15:00Z'],
    ['*/15 * * * *', '2030-01-01T00:45:00Z', '2030-01-01T01:00:00Z'],
    ['30 2 * * *', '2030-01-01T02:30:00Z', '2030-01-02T02:30:00Z'],
    ['0 0 29 2 *', '2030-01-01T00:00:00Z', '2032-02-29T00:00:00Z'],
    ['0 12 * * mon-fri', '2030-01-04T13:00:00Z', '2030-01-07T12:00:00Z'],
    ['0 0 13 * fri', '2030-01-01T00:00:00Z', '2030-01-04T00:00:00Z'],
    ['5,10-12 1/6 1 jan,JUL ?', '2030-01-01T01:11:00Z', '2030-01-01T01:12:00Z'],
    ['@daily', '2030-01-01T00:00:00Z', '2030-01-02T00:00:00Z'],
    ['@hourly', '2030-01-01T00:00:30Z', '2030-01-01T01:00:00Z'],
  ])('%s after %s is due at %s', (text, after, next) => {
    const schedule = parseSchedule(text);
    if (schedule === undefined) throw new Error('it is none');
    expect(nextTime(schedule, Date.parse(after))).toBe(Date.parse(next));
  });

  it('that never comes has no time', () => {
    const schedule = parseSchedule('0 0 30 2 *');
    expect(schedule === undefined || nextTime(schedule, 0)).toBeUndefined();
  });

  it.each([
    '',
    '* * * *',
    '60 * * * *',
    '* * 0 * *',
    '5-3 * * * *',
    '*/0 * * * *',
    'x * * * *',
    '* * * * * *',
    '@never',
  ])('%j is none', (text) => {
    expect(parseSchedule(text)).toBeUndefined();
  });
});

describe('a CronJob', () => {
  it('makes a Job at each of its times, and keeps the last three', async () => {
    const scene = embeddedScene();
    scene.put(aCronJob({}));
    await scene.clock.advance(30 * 60_000 + 10_000);
    expect(scene.list('Job').map(({ metadata }) => metadata.creationTimestamp)).toEqual([
      '2030-01-01T00:20:00Z',
      '2030-01-01T00:25:00Z',
      '2030-01-01T00:30:00Z',
    ]);
    expect(scene.get('CronJob', 'nightly').status).toMatchObject({
      lastScheduleTime: '2030-01-01T00:30:00Z',
      lastSuccessfulTime: '2030-01-01T00:30:01Z',
    });
  });

  it.each([
    ['Allow', 3],
    ['Forbid', 1],
    ['Replace', 1],
  ])('with concurrencyPolicy %s has %d at a time', async (concurrencyPolicy, count) => {
    const scene = embeddedScene();
    scene.put(aCronJob({ concurrencyPolicy }, { podAnnotations: behaviour({ behaviour: 'never-ends' }) }));
    await scene.clock.advance(15 * 60_000 + 5000);
    expect(scene.list('Job')).toHaveLength(count);
  });

  it('that is suspended makes none', async () => {
    const scene = embeddedScene();
    scene.put(aCronJob({ suspend: true }));
    await scene.clock.advance(3_600_000);
    expect(scene.list('Job')).toEqual([]);
  });
});
