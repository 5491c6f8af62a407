import { describe, expect, it } from 'vitest';
import { enabledCrds } from './chart-crds.ts';

describe('the CRDs of enabled charts', () => {
  const [one, two, three] = [
    'kind: One\n',
    'kind: Two\n---\n# Source: web/templates/two.yaml\nkind: Too\n\n',
    '\nkind: One\nname: three',
  ];
  const template = '---\n# Source: web/templates/a.yaml\nkind: A\n';

  it.each<[string, string, readonly string[]]>([
    ['none', `\n${template}`, []],
    ['one', `---\n# Source: web/crds/1.yaml\n${one}\n${template}`, [one]],
    ['one of several documents', `---\n# Source: web/crds/2.yaml\n${two}\n${template}`, [two]],
    ['one of a subchart with an alias', `---\n# Source: web/charts/alias/crds/3.yaml\n${three}\n${template}`, [three]],
    [
      'several',
      `---\n# Source: web/crds/2.yaml\n${two}\n---\n# Source: web/crds/1.yaml\n${one}\n${template}`,
      [two, one],
    ],
    ['some, and no template', `---\n# Source: web/crds/1.yaml\n${one.trimEnd()}`, [one]],
    ['no template of a folder of that name', '---\n# Source: web/templates/crds/1.yaml\nkind: One\n', []],
  ])('are read from what helm renders: %s', (_, rendered, expected) => {
    expect(enabledCrds(rendered, [one, two, three])).toEqual(expected.map((text) => text.trim()));
  });

  it('are refused where helm has them otherwise than the archive', () => {
    const rendered = '---\n# Source: web/crds/1.yaml\nkind: Other\n';
    expect(() => enabledCrds(rendered, [one])).toThrow(expect.objectContaining({ code: 'HelmFailed' }));
  });
});
