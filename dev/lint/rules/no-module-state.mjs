const COLLECTIONS = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'Array']);

/** A module is loaded once and shared by all: what it remembers is a hidden argument of every function in it. */
export const noModuleState = {
  meta: {
    type: 'problem',
    docs: { description: 'modules keep no state' },
    messages: {
      variable: 'A module keeps no state: pass "{{name}}" as an argument, or keep it in a class instance.',
      collection: '"{{name}}" starts empty, so it can only be state: keep it where it is used.',
    },
    schema: [],
  },
  create(context) {
    return {
      'Program > VariableDeclaration'(node) {
        checkDeclaration(context, node);
      },
      'Program > ExportNamedDeclaration > VariableDeclaration'(node) {
        checkDeclaration(context, node);
      },
    };
  },
};

function checkDeclaration(context, declaration) {
  if (declaration.declare === true) return;
  for (const { id, init } of declaration.declarations) {
    const data = { name: context.sourceCode.getText(id) };
    if (declaration.kind !== 'const') context.report({ node: id, messageId: 'variable', data });
    else if (isEmptyCollection(init)) context.report({ node: id, messageId: 'collection', data });
  }
}

function isEmptyCollection(init) {
  if (init?.type === 'ArrayExpression') return init.elements.length === 0;
  if (init?.type === 'ObjectExpression') return init.properties.length === 0;
  return init?.type === 'NewExpression' && COLLECTIONS.has(init.callee.name) && init.arguments.length === 0;
}
