/** Whether `.helmignore` keeps a file, by its path in the chart's folder, out of the chart. */
export type IgnoreRule = (path: string) => boolean;

interface Rule {
  readonly negated: boolean;
  readonly onlyFolders: boolean;
  readonly matches: (path: string) => boolean;
}

/** Helm's own rule, before those of the file. */
const DEFAULT_RULE = 'templates/.?*';

/** The rules of a `.helmignore`, read exactly as `helm package` reads them. Throws a `SyntaxError` for what Helm refuses. */
export function helmIgnore(text: string): IgnoreRule {
  const rules = [...text.split('\n'), DEFAULT_RULE].flatMap((line) => parseRule(line.trim()));
  return (path) => {
    const parts = path.split('/');
    return parts.some((_, index) => isIgnored(rules, parts.slice(0, index + 1).join('/'), index + 1 < parts.length));
  };
}

/** As Helm does, the first rule that says anything decides; a negated one says "ignore" of all that it does not match. */
function isIgnored(rules: readonly Rule[], path: string, isFolder: boolean): boolean {
  return rules.some((rule) => {
    if (rule.onlyFolders && !isFolder) return rule.negated;
    return rule.matches(path) !== rule.negated;
  });
}

function parseRule(line: string): readonly Rule[] {
  if (line === '' || line.startsWith('#')) return [];
  if (line.includes('**')) throw new SyntaxError('** is not supported');
  const negated = line.startsWith('!');
  const onlyFolders = line.endsWith('/');
  const pattern = line.slice(negated ? 1 : 0, onlyFolders ? -1 : undefined);
  return [{ negated, onlyFolders, matches: matcherOf(pattern) }];
}

function matcherOf(pattern: string): (path: string) => boolean {
  const expression = globExpression(pattern.replace(/^\//, ''));
  if (pattern.includes('/')) return (path) => expression.test(path);
  return (path) => expression.test(path.slice(path.lastIndexOf('/') + 1));
}

const TOKEN = /\\(.)|\[(\^?)((?:\\.|[^\]\\])+)\]|([*?])|([^\\[*?])/gsuy;

/** Go's filepath.Match. */
function globExpression(pattern: string): RegExp {
  let source = '';
  let end = 0;
  for (const token of pattern.matchAll(TOKEN)) {
    const [text, escaped, negation = '', members, wildcard, plain = ''] = token;
    if (members !== undefined) source += `(?!/)[${negation}${classMembers(members)}]`;
    else if (wildcard !== undefined) source += wildcard === '*' ? '[^/]*' : '[^/]';
    else source += literal(escaped ?? plain);
    end = token.index + text.length;
  }
  if (end !== pattern.length) throw new SyntaxError(`the pattern ${pattern} is malformed`);
  return new RegExp(`^${source}$`, 'su');
}

/** Only a bare dash has a meaning there. */
function classMembers(members: string): string {
  return members.replaceAll(/\\(.)|([^-\\])/gsu, (_, escaped: string | undefined, plain: string | undefined) => {
    return literal(escaped ?? plain ?? '');
  });
}

function literal(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
