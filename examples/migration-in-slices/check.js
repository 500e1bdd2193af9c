const fs = require('node:fs');
const vm = require('node:vm');

// Stands for the project's own check: types, tests, a linter.
new vm.Script(fs.readFileSync(process.argv[2], 'utf8'), { filename: process.argv[2] });
