import { dirname, join, relative, sep } from 'node:path';
import { judgeImport, judgePackage } from '../floors.mjs';

/** Imports point down, whether of values or of types. */
export const floors = {
  meta: {
    type: 'problem',
    docs: { description: 'imports follow the floors' },
    messages: { wrong: '{{why}}.' },
    schema: [],
  },
  create(context) {
    const from = relative(context.cwd, context.filename).split(sep).join('/');

    function check(source) {
      if (source?.type !== 'Literal' || typeof source.value !== 'string') return;
      const why = judge(from, source.value);
      if (why !== undefined) context.report({ node: source, messageId: 'wrong', data: { why } });
    }

    return {
      ImportDeclaration: (node) => check(node.source),
      ExportNamedDeclaration: (node) => check(node.source),
      ExportAllDeclaration: (node) => check(node.source),
      ImportExpression: (node) => check(node.source),
      TSImportType: (node) => check(node.source),
    };
  },
};

function judge(from, specifier) {
  if (specifier.startsWith('.')) return judgeImport(from, join(dirname(from), specifier).split(sep).join('/'));
  return judgePackage(from, specifier);
}
