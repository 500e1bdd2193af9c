/**
 * Starts the built program. Start-up is most of the time of a short command, so it is CommonJS (an ES module costs about 1.4 times the
 * start of bare Node before it does anything), and the parts that commands need stand in packs, one file each with V8's code cache beside
 * it: the larger a pack, the longer a command waits for it. All other parts are files in `dist/chunks`, read when they are asked for.
 */

/** `require` wraps a module of Node's own for the other kind of modules too, before it gives it out. */
const builtin = process.getBuiltinModule;
const fs = builtin('node:fs');
const path = builtin('node:path');

const DIST = path.join(__dirname, '..', 'dist');

/** Commands that need little of what a run needs start with a pack of their own. */
const PACKS = { session: 'session', task: 'session', views: 'session' };
const RUN_PACK = 'run';

function packOf([command]) {
  return Object.hasOwn(PACKS, command) ? PACKS[command] : RUN_PACK;
}

/** Answers the one question that needs no program at all. */
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

/** Compiles a script of ASCII text; with a code cache where V8 accepts it: same Node, same source. */
function compile(file, cacheFile) {
  const vm = builtin('node:vm');
  let cachedData;
  try {
    if (cacheFile !== undefined) cachedData = fs.readFileSync(cacheFile);
  } catch {
    // Built without one: V8 compiles as usual.
  }
  return new vm.Script(fs.readFileSync(file, 'latin1'), {
    filename: file,
    cachedData,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
}

/**
 * Loads parts by name, each once. A part is the function that Node would make of a CommonJS file; without a pack all of them come from
 * their files, which is how the build finds out what belongs into one.
 */
function createLoader({ dist, pack }) {
  const loaded = new Map();
  const chunks = path.join(dist, 'chunks') + path.sep;
  const file = path.join(dist, `${pack}.cjs`);
  const script = pack === undefined ? undefined : compile(file, path.join(dist, `${pack}.cache`));
  const packed = script === undefined ? {} : script.runInThisContext();
  const load = (name) => {
    const known = loaded.get(name);
    if (known !== undefined) return known.exports;
    const part = { exports: {} };
    loaded.set(name, part);
    const filename = chunks + name;
    const run = packed[name] ?? compile(filename).runInThisContext();
    run(part.exports, requireFrom, part, filename, dist);
    return part.exports;
  };
  // All parts lie side by side: `./name.cjs`.
  const requireFrom = (specifier) => (specifier[0] === '.' ? load(specifier.slice(2)) : builtin(specifier));
  return { load, loaded, script };
}

function launch(name) {
  const argv = process.argv.slice(2);
  if (answersAtOnce(argv, name)) return;
  if (!fs.existsSync(DIST)) {
    fs.writeSync(2, 'error: the program is not built\nhelp: `npm ci` or `npm run build` builds it\n');
    process.exitCode = 70;
    return;
  }
  // When nothing is left to do, Node takes itself apart piece by piece before it ends, which takes longer than ending.
  process.once('beforeExit', () => process.exit());
  const { main } = createLoader({ dist: DIST, pack: packOf(argv) }).load('main.cjs');
  main({ program: name, argv, dist: DIST }).then(
    (exitCode) => {
      process.exitCode = exitCode;
    },
    (error) => {
      fs.writeSync(2, `${error?.stack ?? error}\n`);
      process.exitCode = 70;
    },
  );
}

module.exports = { createLoader, launch };
