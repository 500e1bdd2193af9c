#!/usr/bin/env node
/**
 * A hook runs for many tool calls of an agent, and start-up is most of its time. So it is handled here, without the launcher of all other
 * commands: one script, `dist/hook/hook.cjs`, with V8's code cache. The first call of a built-in function takes up to a fifth of a
 * millisecond, so only few are called here, and only ones that the script needs as well.
 */
const HOOK = `${__dirname}/../dist/hook/hook.cjs`;
/** All other events contain a hyphen, which no subcommand of `hook` does. */
const EVENTS_OF_ONE_WORD = ['stop', 'notification', 'elicitation', 'setup'];

/** Unlike `require`, this does not also create an ES module of a built-in: that takes a quarter of a millisecond for these two. */
const builtin = process.getBuiltinModule;

/** Events whose hooks return an answer. They use most of the script, so they write the code cache, once per kind. */
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
// An unknown event is not an error: agents treat exit code 2 of some hooks as a veto.
if (command === 'hook' && isEvent(event) && !rest.includes('--help')) {
  /**
   * The agent must continue whatever happens, even while the program is being reinstalled. It waits for the exit, so skip the clean-up of
   * `process.exit`, which takes a millisecond.
   */
  const end = () => process.reallyExit(0);
  answer(event).then(end, end);
} else require('./launch.js').launch('orchestrate');
