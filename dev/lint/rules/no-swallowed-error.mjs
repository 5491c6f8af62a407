/** An empty catch hides what went wrong from everyone; a comment in it has to say why that is right. */
export const noSwallowedError = {
  meta: {
    type: 'problem',
    docs: { description: 'a catch does something with the error, or says why not' },
    messages: { swallowed: 'Handle the error, let it pass, or say in a comment why it does not matter.' },
    schema: [],
  },
  create(context) {
    const { sourceCode } = context;
    return {
      CatchClause(node) {
        if (node.body.body.length > 0 || sourceCode.getCommentsInside(node.body).length > 0) return;
        context.report({ node, messageId: 'swallowed' });
      },
      "CallExpression[callee.property.name='catch'] > ArrowFunctionExpression"(node) {
        if (!isEmpty(node) || sourceCode.getCommentsInside(node).length > 0) return;
        if (node.parent.arguments[0] === node) context.report({ node, messageId: 'swallowed' });
      },
    };
  },
};

/** `() => {}`, and `() => undefined` where nobody looks at the result. */
function isEmpty({ body, parent }) {
  if (body.type === 'BlockStatement') return body.body.length === 0;
  return body.type === 'Identifier' && body.name === 'undefined' && isDiscarded(parent);
}

function isDiscarded({ parent }) {
  if (parent.type === 'ExpressionStatement') return true;
  if (parent.type === 'AwaitExpression') return isDiscarded(parent);
  return parent.type === 'UnaryExpression' && parent.operator === 'void';
}
