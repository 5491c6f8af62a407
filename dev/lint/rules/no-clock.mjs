const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate']);
const TIMER_MODULES = new Set(['node:timers', 'node:timers/promises', 'timers', 'timers/promises']);
const CLOCK_MEMBERS = new Set(['Date.now', 'Math.random', 'performance.now', 'process.hrtime', 'AbortSignal.timeout']);

/** Time and chance come through the Clock port, so that tests can turn them. */
export const noClock = {
  meta: {
    type: 'problem',
    docs: { description: 'time and chance come through the Clock port' },
    messages: {
      timer: '{{name}} makes tests wait: use the Clock port.',
      read: '{{name}} gives another answer at each call: take the time or the number as an argument, or use the Clock port.',
    },
    schema: [{ type: 'object', properties: { allowReads: { type: 'boolean' } }, additionalProperties: false }],
  },
  create(context) {
    const allowReads = context.options[0]?.allowReads === true;
    function report(node, messageId, name) {
      if (messageId === 'read' && allowReads) return;
      context.report({ node, messageId, data: { name } });
    }
    return {
      ImportDeclaration(node) {
        if (TIMER_MODULES.has(node.source.value)) report(node, 'timer', node.source.value);
      },
      CallExpression(node) {
        const name = calleeName(node.callee);
        if (TIMERS.has(name)) report(node, 'timer', name);
        else if (name === 'Date') report(node, 'read', 'Date()');
      },
      NewExpression(node) {
        if (node.callee.name === 'Date' && node.arguments.length === 0) report(node, 'read', 'new Date()');
      },
      MemberExpression(node) {
        const name = context.sourceCode.getText(node);
        if (CLOCK_MEMBERS.has(name)) report(node, name === 'AbortSignal.timeout' ? 'timer' : 'read', name);
      },
    };
  },
};

function calleeName(callee) {
  if (callee.type === 'Identifier') return callee.name;
  const isGlobal = callee.type === 'MemberExpression' && callee.object.name === 'globalThis';
  return isGlobal ? callee.property.name : undefined;
}
