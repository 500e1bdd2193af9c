/**
 * Starts the built program. Start-up is most of the time of a short command, so it is CommonJS (an ES module costs about 1.4 times the
 * start of bare Node before it does anything), and V8's code cache is kept for each command (`orchestrate.js`). The parts that are needed
 * most are together in `dist/pack.cjs`, since reading sixty files instead takes 5 ms. All others are files in `dist/chunks`, read on
 * demand.
 */

/** Unlike `require`, this does not also wrap a built-in module as an ES module. */
const builtin = process.getBuiltinModule;
const fs = builtin('node:fs');
const path = builtin('node:path');

const DIST = path.join(__dirname, '..', 'dist');
const PACK = path.join(DIST, 'pack.cjs');
/** After this time V8 may have discarded start-up code, and start-up time no longer matters. */
const LONG_S = 10;
const EXIT_USAGE = 2;
const EXIT_BUG = 70;

/** Handles `--version`, which needs nothing else of the program. */
function answersAtOnce(argv, name) {
  if (argv.length !== 1 || (argv[0] !== '--version' && argv[0] !== '-V')) return false;
  const { version } = require('../package.json');
  try {
    fs.writeSync(1, `${name} ${version}\n`);
  } catch (problem) {
    if (problem.code !== 'EPIPE') process.exitCode = 1;
  }
  return true;
}

/** Name of the cache: the program and its command. Other arguments get no cache of their own. */
function cacheName(name, argv) {
  const command = argv.find((word, index) => word[0] !== '-' && argv[index - 1] !== '-C') ?? 'help';
  return /^[a-z][a-z-]*$/.test(command) ? `${name}-${command}` : name;
}

/**
 * Loads parts by name, each once. A part is the function that Node would create from a CommonJS file. `name`: that of their cache, which is read by
 * the functions of `orchestrate.js`: to require that file here would take longer.
 */
function createLoader(name, { digestOf, openCache, readScript }) {
  const packSource = readScript(PACK);
  const cache = openCache(name, digestOf(packSource));
  const compile = (file, filename, source) => {
    const { USE_MAIN_CONTEXT_DEFAULT_LOADER: importModuleDynamically } = builtin('node:vm').constants;
    return cache.compile(file, source, { filename, importModuleDynamically }).runInThisContext();
  };
  const packed = compile('pack', PACK, packSource);
  const chunks = path.join(DIST, 'chunks') + path.sep;
  const loaded = new Map();
  const load = (name) => {
    const known = loaded.get(name);
    if (known !== undefined) return known.exports;
    const part = { exports: {} };
    loaded.set(name, part);
    const filename = chunks + name;
    const run = packed[name] ?? compile(name, filename, readScript(filename));
    run(part.exports, requireFrom, part, filename, DIST);
    return part.exports;
  };
  // All parts are in one folder: `./name.cjs`.
  const requireFrom = (specifier) => (specifier[0] === '.' ? load(specifier.slice(2)) : builtin(specifier));
  return { load, saveCache: () => cache.save([...loaded.keys()]) };
}

function launch(name, reading) {
  const argv = process.argv.slice(2);
  if (answersAtOnce(argv, name)) return;
  if (!fs.existsSync(DIST)) {
    fs.writeSync(2, 'error: the program is not built\nhelp: run `npm ci` or `npm run build`\n');
    process.exitCode = EXIT_BUG;
    return;
  }
  const { load, saveCache } = createLoader(cacheName(name, argv), reading);
  let hasEnded = false;
  process.on('beforeExit', () => {
    if (!hasEnded) {
      // Nothing is left that could end it. If it is code of the user that waits, its guard ends it.
      process.exitCode = EXIT_BUG;
      if (process.listenerCount('beforeExit') > 1) return;
      fs.writeSync(2, 'error: the command waits for something that never happens\n');
    }
    // An unknown command writes no cache.
    if (process.exitCode !== EXIT_USAGE && process.uptime() < LONG_S) saveCache();
    // Exit directly: when nothing is left to do, Node's own teardown takes longer than the exit.
    process.exit();
  });
  load('main.cjs')
    // In the parts themselves `import()` does not work: Node does not know them as files.
    .main({ program: name, argv, dist: DIST, importModule: (specifier) => import(specifier) })
    .then(
      (exitCode) => {
        hasEnded = true;
        process.exitCode = exitCode;
      },
      (error) => {
        hasEnded = true;
        fs.writeSync(2, `${error?.stack ?? error}\n`);
        process.exitCode = EXIT_BUG;
      },
    );
}

module.exports = { createLoader, launch };
