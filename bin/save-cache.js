/** Writes V8's code cache, which `orchestrate.js` reads (C1 to C5 there). */
const { aligned, isOurFolder } = require('./orchestrate.js');

const fs = process.getBuiltinModule('node:fs');

const MOST_FILES = 24;
const OUR_NAME = /^[a-z-]+-[0-9a-f]{16}-v[\w.+-]+-[a-z0-9_]+\.cache(?:\.\d+)?$/;

/** `used`: the scripts of this call. What the cache had before is kept. */
function saveCache({ folder, name, kept, scripts }, used) {
  if (hasOtherFlags()) return;
  writeCache(folder, name, () => {
    const made = [...scripts].map(([file, script]) => [file, script.createCachedData()]);
    return renderCache(name, new Map([...kept.scripts, ...made]), new Set([...kept.used, ...used]));
  });
}

/** A cache is valid only for the flags V8 runs with; with changing flags it would be rewritten over and over. */
function hasOtherFlags() {
  return process.execArgv.length > 0 || (process.env.NODE_OPTIONS ?? '') !== '';
}

/** `data`: V8's bytes of each script. */
function renderCache(name, data, used) {
  const lengths = [...data].map(([file, { length }]) => [file, length]);
  const line = JSON.stringify({ name, used: [...used], lengths });
  const half = [
    Buffer.from(`${line.padEnd(aligned(line.length + 1) - 1)}\n`, 'latin1'),
    ...[...data.values()].flatMap((bytes) => [bytes, Buffer.alloc(aligned(bytes.length) - bytes.length)]),
  ];
  return Buffer.concat([...half, ...half]);
}

/** C4. `render` is called only when there is a file to write to. */
function writeCache(folder, name, render) {
  const temporary = `${folder}/${name}.${process.pid}`;
  let fd;
  try {
    makeFolder(folder);
    if (!isOurFolder(folder)) return;
    fd = fs.openSync(temporary, 'wx', 0o600);
    fs.writeFileSync(fd, render());
    fs.renameSync(temporary, `${folder}/${name}`);
    removeOldest(folder);
  } catch {
    if (fd !== undefined) fs.rmSync(temporary, { force: true });
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

/** Also creates the parent folder for caches, but never a home. */
function makeFolder(folder) {
  for (const each of [folder.slice(0, folder.lastIndexOf('/')), folder]) {
    try {
      fs.mkdirSync(each, 0o700);
    } catch (problem) {
      if (problem.code !== 'EEXIST') throw problem;
    }
  }
}

/** C5 */
function removeOldest(folder) {
  const files = fs.readdirSync(folder).filter((name) => OUR_NAME.test(name));
  if (files.length <= MOST_FILES) return;
  const dated = files.map((name) => ({ name, at: fs.lstatSync(`${folder}/${name}`).mtimeMs }));
  for (const { name } of dated.sort((a, b) => b.at - a.at).slice(MOST_FILES))
    fs.rmSync(`${folder}/${name}`, { force: true });
}

module.exports = { saveCache };
