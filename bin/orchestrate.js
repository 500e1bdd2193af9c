#!/usr/bin/env node
/**
 * A hook is started for many tool calls of an agent, and starting is most of what it takes. So it is answered from here, without the
 * launcher of all other commands: one script, `dist/hook/hook.cjs`, with V8's code cache. A function of Node's own takes up to a fifth of a
 * millisecond when it is called for the first time: so few of them are, and those that the script needs as well.
 */
const HOOK = `${__dirname}/../dist/hook/hook.cjs`;
/** Others have a hyphen, which no command below `hook` has. */
const EVENTS_OF_ONE_WORD = ['stop', 'notification', 'elicitation', 'setup'];

/** `require` makes an ES module of each of Node's own as well, before it gives it out: a quarter of a millisecond for these two. */
const builtin = process.getBuiltinModule;

/** The code cache is made by the events that need most of the script, each kind once: those that are answered. */
async function answer(event) {
  const { digestOf, openCache } = require('./code-cache.js');
  const source = builtin('node:fs').readFileSync(HOOK, 'latin1');
  const cache = openCache('hook', digestOf(source));
  const exports = {};
  cache.compile('hook.cjs', source, { filename: HOOK }).runInThisContext()(exports, builtin);
  const { isAnswered } = await exports.main(event);
  if (isAnswered) cache.save([event]);
}

function isEvent(argument = '') {
  return argument.indexOf('-') > 0 || EVENTS_OF_ONE_WORD.includes(argument);
}

const [, , command, event, ...rest] = process.argv;
// An event that it does not know is no error: some take exit code 2 for a veto.
if (command === 'hook' && isEvent(event) && !rest.includes('--help')) {
  /**
   * The agent goes on whatever happens, also while the program is being installed anew. It waits for the exit, and nothing is left to be
   * done then: what `process.exit` tidies up before takes a millisecond.
   */
  const end = () => process.reallyExit(0);
  answer(event).then(end, end);
} else require('./launch.js').launch('orchestrate');
