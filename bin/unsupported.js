/**
 * Says in one sentence why the program cannot start here. Every version of Node must be able to read this file and those of the commands,
 * so they are written without newer syntax.
 */
const EXIT_USAGE = 2;
/** Agents treat exit code 2 of some hooks as a veto, and 1 as a problem to show. */
const EXIT_HOOK = 1;

function reason() {
  if (process.platform === 'win32')
    return 'error: Orchestrate does not run on Windows itself\nhelp: use it in WSL, the Windows Subsystem for Linux';
  return `error: Orchestrate needs Node 20.19, 22.3 or newer; this is Node ${process.version.slice(1)}`;
}

module.exports = function refuse() {
  process.stderr.write(`${reason()}\n`);
  process.exitCode = process.argv.includes('hook') ? EXIT_HOOK : EXIT_USAGE;
};
