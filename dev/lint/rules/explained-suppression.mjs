const DIRECTIVE = /^\s*eslint-disable(?:-next-line|-line)?(?=\s|$)/;
const COMPLETE = /^\s*eslint-disable(?:-next-line|-line)?\s+[\w@/-]+(?:\s*,\s*[\w@/-]+)*\s+--\s+\S.{9,}/s;
const WHOLE_FILE = /^\s*eslint-disable\s/;

/** A rule may be wrong in one place: the place says which rule, and why. */
export const explainedSuppression = {
  meta: {
    type: 'problem',
    docs: { description: 'suppressions name a rule and a reason' },
    messages: {
      unexplained: 'Write "eslint-disable-next-line RULE -- the reason".',
      tooWide: 'Suppress one line, not the rest of the file.',
    },
    schema: [],
  },
  create(context) {
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) checkComment(context, comment);
      },
    };
  },
};

function checkComment(context, comment) {
  if (!DIRECTIVE.test(comment.value)) return;
  if (!COMPLETE.test(comment.value)) context.report({ loc: comment.loc, messageId: 'unexplained' });
  else if (WHOLE_FILE.test(comment.value)) context.report({ loc: comment.loc, messageId: 'tooWide' });
}
