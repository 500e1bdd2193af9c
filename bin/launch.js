/**
 * Starts the bundle. CommonJS and V8's code cache, because start-up is most of the time of a short command: an ES module costs
 * about 1.4 times the start of bare Node before it does anything, this about 1.1 times.
 */
const fs = require('node:fs');
const path = require('node:path');

/** Answers the two questions that need no program at all. */
function answersAtOnce(argv, name) {
  if (argv.length !== 1 || (argv[0] !== '--version' && argv[0] !== '-V')) return false;
  const { version } = require('../package.json');
  fs.writeSync(1, `${name} ${version}\n`);
  return true;
}

/** The bundle's exports. Its code cache is used when V8 accepts it: same Node, same source. */
function loadBundle() {
  const vm = require('node:vm');
  const { createRequire } = require('node:module');
  const dist = path.join(__dirname, '..', 'dist');
  const filename = path.join(dist, 'orchestrate.cjs');
  const source = fs.readFileSync(filename, 'latin1');
  let cachedData;
  try {
    cachedData = fs.readFileSync(path.join(dist, 'orchestrate.cache'));
  } catch {
    // Built without one: V8 compiles as usual.
  }
  const wrapped = `(function (exports, require, module, __filename, __dirname) {${source}\n})`;
  const script = new vm.Script(wrapped, {
    filename,
    cachedData,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const bundle = { exports: {} };
  script.runInThisContext()(bundle.exports, createRequire(filename), bundle, filename, dist);
  return { main: bundle.exports.main, script, dist };
}

function launch(name) {
  const argv = process.argv.slice(2);
  if (answersAtOnce(argv, name)) return;
  const { main, dist } = loadBundle();
  main({ program: name, argv, dist }).then(
    (exitCode) => {
      process.exitCode = exitCode;
    },
    (error) => {
      fs.writeSync(2, `${error?.stack ?? error}\n`);
      process.exitCode = 70;
    },
  );
}

module.exports = { launch, loadBundle };
