/** Preloaded: writes down each script that the program compiles, and what became of its code cache. */
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const { Script } = vm;
vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options);
    const { cachedData, filename } = options;
    const word = cachedData === undefined ? 'none' : this.cachedDataRejected ? 'rejected' : 'accepted';
    fs.appendFileSync(process.env.SCRIPTS_LOG, `${path.basename(filename)} ${word}\n`);
  }
};
