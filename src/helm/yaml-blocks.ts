/** One key of a YAML mapping with all lines of its value. */
export interface YamlBlock {
  /** Empty for what comes before the first key: comments. */
  readonly key: string;
  readonly text: string;
}

const KEY = /^([A-Za-z][A-Za-z0-9_.-]*)\s*:(?:\s|$)/;
/** Belongs to the key above: indented, empty, a comment, or an item of a list that is not indented. */
const CONTINUED = /^(?:\s|#|-\s|-$|$)/;
/** Go's parser takes the end of a flow collection at the margin, ours wants it indented. */
const FLOW_END = /^[}\]]/;
/** A node that is named in one place can be used in another, so the parts cannot be read alone. */
const ANCHOR = /(?:^|[\s[{,:-])[&*][A-Za-z0-9]/m;

/** The keys of a document in block style; undefined when it is written in any other way. */
export function topLevelBlocks(text: string): readonly YamlBlock[] | undefined {
  const blocks = splitAtKeys(text);
  return blocks !== undefined && canBeReadAlone(blocks) ? blocks : undefined;
}

function splitAtKeys(text: string): readonly YamlBlock[] | undefined {
  const blocks: { key: string; lines: string[] }[] = [{ key: '', lines: [] }];
  for (const line of text.split('\n')) {
    const key = KEY.exec(line)?.[1];
    if (key !== undefined) blocks.push({ key, lines: [line] });
    else if (CONTINUED.test(line)) blocks.at(-1)?.lines.push(line);
    else if (FLOW_END.test(line)) blocks.at(-1)?.lines.push(` ${line}`);
    else return undefined;
  }
  return blocks.map(({ key, lines }) => ({ key, text: lines.join('\n') }));
}

function canBeReadAlone(blocks: readonly YamlBlock[]): boolean {
  const before = blocks[0]?.text.replaceAll(/^#.*$/gm, '').trim();
  if (before !== '' || !blocks.some(({ key }) => key === 'kind')) return false;
  return !blocks.some(({ key, text }) => key === 'metadata' && ANCHOR.test(text));
}
