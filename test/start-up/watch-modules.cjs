/** Writes the modules of Node that were loaded, when the program exits. */
const fs = process.getBuiltinModule('node:fs');
process.once('exit', () => fs.writeFileSync(process.env.MODULES_LOG, process.moduleLoadList.join('\n')));
