#!/usr/bin/env node
/**
 * A hook is started for many tool calls of an agent, and starting is most of what it takes. So it is answered from here, without the
 * launcher of all other commands: one script, `dist/hook/hook.cjs`, with V8's code cache beside it. A function of Node's own takes up to
 * a fifth of a millisecond when it is called for the first time: so few of them are, and those that the script needs as well.
 */
const HOOK = `${__dirname}/../dist/hook`;
/** Others have a hyphen, which no command below `hook` has. */
const EVENTS_OF_ONE_WORD = ['stop', 'notification', 'elicitation', 'setup'];
/** No longer cache is made. */
const MOST_CACHE_BYTES = 1 << 18;

/** `require` makes an ES module of each of Node's own as well, before it gives it out: a quarter of a millisecond for these two. */
const builtin = process.getBuiltinModule;

/** The script, and the function that it begins with. */
function loadHook(folder) {
  const fs = builtin('node:fs');
  const filename = `${folder}/hook.cjs`;
  const script = new (builtin('node:vm').Script)(fs.readFileSync(filename, 'utf8'), {
    filename,
    cachedData: readCache(fs, `${folder}/hook.cache`),
  });
  const exports = {};
  script.runInThisContext()(exports, builtin);
  return { script, main: exports.main };
}

/** Nothing where there is none: then it takes a little longer. */
function readCache(fs, file) {
  try {
    const fd = fs.openSync(file);
    const bytes = Buffer.allocUnsafe(MOST_CACHE_BYTES);
    const size = fs.readvSync(fd, [bytes]);
    fs.closeSync(fd);
    return new Uint8Array(bytes.buffer, bytes.byteOffset, size);
  } catch {
    return undefined;
  }
}

function isEvent(argument = '') {
  return argument.indexOf('-') > 0 || EVENTS_OF_ONE_WORD.includes(argument);
}

const [, , command, event, ...rest] = process.argv;
if (require.main !== module) module.exports = { loadHook, MOST_CACHE_BYTES };
// An event that it does not know is no error: some take exit code 2 for a veto.
else if (command === 'hook' && isEvent(event) && !rest.includes('--help')) {
  /**
   * The agent goes on whatever happens, also while the program is being installed anew. It waits for the exit, and nothing is left to be
   * done then: what `process.exit` tidies up before takes a millisecond.
   */
  const end = () => process.reallyExit(0);
  try {
    loadHook(HOOK).main(event).then(end, end);
  } catch {
    end();
  }
} else require('./launch.js').launch('orchestrate');
