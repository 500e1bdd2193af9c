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
async function answer(event, folder) {
  const { digestOf, openCache, readScript } = require('./code-cache.js');
  const source = readScript(HOOK);
  const cache = openCache('hook', digestOf(source));
  const exports = {};
  cache.compile('hook.cjs', source, { filename: HOOK }).runInThisContext()(exports, builtin);
  const { isAnswered } = await exports.main(event, folder);
  if (isAnswered) cache.save([event]);
}

function isEvent(argument = '') {
  return argument.indexOf('-') > 0 || EVENTS_OF_ONE_WORD.includes(argument);
}

/** The words of the command without `-C <folder>`, which may be repeated, and the folder it leads to. */
function withoutFolders(argv) {
  const words = [];
  let folder;
  for (let at = 0; at < argv.length; at += 1) {
    if (!argv[at].startsWith('-C')) words.push(argv[at]);
    else folder = builtin('node:path').resolve(folder || '', argv[at].slice(2) || argv[++at] || '');
  }
  return { words, folder };
}

function start() {
  const {
    words: [command, event, ...rest],
    folder,
  } = withoutFolders(process.argv.slice(2));
  // An unknown event is not an error: agents treat exit code 2 of some hooks as a veto.
  if (command === 'hook' && isEvent(event) && !rest.includes('--help')) {
    /**
     * The agent must continue whatever happens, even while the program is being reinstalled. It waits for the exit, so skip the clean-up of
     * `process.exit`, which takes a millisecond.
     */
    const end = () => process.reallyExit(0);
    answer(event, folder).then(end, end);
  } else require('./launch.js').launch('orchestrate');
}

// Every Node must be able to read this file.
if (builtin === undefined || process.platform === 'win32') require('./unsupported.js')();
else start();
