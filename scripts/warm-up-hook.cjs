/** Answers the event on standard input as a hook in this folder does, and keeps V8's code cache for its script. */
const fs = require('node:fs');
const path = require('node:path');
const { loadHook, MOST_CACHE_BYTES } = require('../bin/orchestrate.js');

const [dist] = process.argv.slice(2);
const { script, main } = loadHook(dist);
main('post-tool-use').then(() => {
  const cache = script.createCachedData();
  if (cache.length >= MOST_CACHE_BYTES) throw new Error(`${cache.length} bytes of cache are too many`);
  fs.writeFileSync(path.join(dist, 'hook.cache'), cache);
});
