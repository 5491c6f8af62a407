import { describe, expect, it } from 'vitest';
import { expectGolden } from '../test/golden/expect-golden.ts';
import { backendPage } from './generate-backends.ts';

describe('the page on backends', () => {
  const { path, text } = backendPage();

  it('is what the code says', () => {
    expectGolden(path, text);
  });

  it('I10 says that Argo CD gets no values of Secrets unless that is asked for', () => {
    expect(text).toMatch(/`secretValues` .*\| yes \| yes \| with `--argo-inline-secret-values` \|/);
  });
});
