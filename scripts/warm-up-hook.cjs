/** Answers the event on standard input as a hook in this folder does, and keeps V8's code cache for the pack of its parts. */
const fs = require('node:fs');
const path = require('node:path');
const { loadHook } = require('../bin/orchestrate.js');

const [dist] = process.argv.slice(2);
const { script, main } = loadHook(dist);
main('post-tool-use').then(() => fs.writeFileSync(path.join(dist, 'hook.cache'), script.createCachedData()));
