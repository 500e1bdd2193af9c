#!/usr/bin/env node
/**
 * A hook is started for many tool calls of an agent, and starting is most of what it takes. So it is answered from here, without the
 * launcher of all other commands: a pack of a few parts, `dist/hook`, with V8's code cache beside it.
 */
const HOOK = `${__dirname}/../dist/hook`;
const HOOK_EVENT = /^(?:[a-z]+(?:-[a-z]+)+|stop|notification|elicitation|setup)$/;

/** What it does not know is no error: some events take exit code 2 for a veto. */
function isHookEvent([command, event, ...rest]) {
  return command === 'hook' && HOOK_EVENT.test(event) && !rest.includes('--help');
}

/** `require` makes an ES module of each of Node's own as well, before it gives it out: a quarter of a millisecond for these two. */
const builtin = process.getBuiltinModule;

/** The script of all parts, and the function they begin with. */
function loadHook(folder) {
  const fs = builtin('node:fs');
  const filename = `${folder}/hook.cjs`;
  const script = new (builtin('node:vm').Script)(fs.readFileSync(filename, 'utf8'), {
    filename,
    cachedData: readIfThere(fs, `${folder}/hook.cache`),
  });
  const parts = script.runInThisContext();
  const loaded = {};
  const load = (specifier) => {
    if (!specifier.startsWith('./')) return builtin(specifier);
    const name = specifier.slice(2);
    if (loaded[name] === undefined) {
      loaded[name] = { exports: {} };
      parts[name](loaded[name].exports, load, loaded[name], filename, folder);
    }
    return loaded[name].exports;
  };
  return { script, main: load('./main.cjs').main };
}

function readIfThere(fs, file) {
  try {
    return fs.readFileSync(file);
  } catch {
    return undefined;
  }
}

/**
 * The agent goes on whatever happens, also while the program is being installed anew. It waits for the exit, and nothing is left to be
 * done then: what `process.exit` tidies up before takes a millisecond.
 */
function answerHook(event) {
  const end = () => process.reallyExit(0);
  try {
    loadHook(HOOK).main(event).then(end, end);
  } catch {
    end();
  }
}

const argv = process.argv.slice(2);
if (require.main !== module) module.exports = { loadHook };
else if (isHookEvent(argv)) answerHook(argv[1]);
else require('./launch.js').launch('orchestrate');
