/**
 * V8's code cache for the program's own scripts, in the user's cache folder. It is made when a command is used for the first time, because
 * V8 accepts a cache only from exactly the same V8.
 *
 * A code cache is code, and V8 runs what it is given: it compares only the length of the source and does not check for damage. So:
 *
 * C1 It is read only if the file and its folder belong to this user and are not writable by others; links are not followed.
 * C2 Its name identifies its source: the digest of the program (version and scripts), the version of Node and the processor.
 * C3 It contains everything twice, and both halves must be equal. (Comparing them takes 0.1 ms; loading `node:zlib` for a checksum, 2 ms.)
 * C4 It is written atomically, by a rename. If it cannot be written or read, the program works without it and prints nothing.
 * C5 Only the newest `MOST_FILES` are kept. Only files with names of this format are removed.
 */
const builtin = process.getBuiltinModule;
const fs = builtin('node:fs');

const MOST_FILES = 24;
const OUR_NAME = /^[a-z-]+-[0-9a-f]{16}-v[\w.+-]+-[a-z0-9_]+\.cache(?:\.\d+)?$/;
/** V8 copies data that does not start at a multiple of this. */
const ALIGNMENT = 8;
const PIECE_BYTES = 64 * 1024;

/** Digest of the program, in the first line of each of its scripts; empty if the file is something else. */
function digestOf(source) {
  return /^\/\*([0-9a-f]{16})\*\//.exec(source.slice(0, 20))?.[1];
}

/** The folder is created on first write. */
function cacheFolder() {
  const { HOME, XDG_CACHE_HOME } = process.env;
  const isSet = (folder) => folder !== undefined && folder[0] === '/';
  if (process.geteuid === undefined) return undefined;
  if (isSet(XDG_CACHE_HOME)) return `${XDG_CACHE_HOME}/orchestrate`;
  if (!isSet(HOME)) return undefined;
  return process.platform === 'darwin' ? `${HOME}/Library/Caches/orchestrate` : `${HOME}/.cache/orchestrate`;
}

/** C1 */
function isOurs({ uid, mode }) {
  return uid === process.geteuid() && (mode & 0o022) === 0;
}

function isOurFolder(folder) {
  const stats = fs.lstatSync(folder);
  return stats.isDirectory() && isOurs(stats);
}

/** A script as one-byte text. It is read like a cache: the first call of each of Node's functions compiles it. */
function readScript(file) {
  const fd = fs.openSync(file, fs.constants.O_RDONLY);
  try {
    return readBytes(fd, fs.fstatSync(fd).size).latin1Slice();
  } finally {
    fs.closeSync(fd);
  }
}

/** The next bytes of the file. */
function readBytes(fd, size) {
  const bytes = Buffer.allocUnsafeSlow(size);
  for (let at = 0; at < size; ) {
    const got = fs.readSync(fd, bytes, at, size - at, null);
    if (got === 0) throw new Error('the file is shorter than it was');
    at += got;
  }
  return bytes;
}

/** Reads a cache: V8's data of each script, and the names of the scripts that were used when it was made. */
const NOTHING = { scripts: new Map(), used: new Set() };

function readCache(folder, name) {
  let fd;
  try {
    if (!isOurFolder(folder)) return NOTHING;
    fd = fs.openSync(`${folder}/${name}`, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
    const stats = fs.fstatSync(fd);
    if (!stats.isFile() || !isOurs(stats)) return NOTHING;
    const bytes = readBytes(fd, stats.size / 2);
    return isRepeated(fd, bytes) ? parseCache(bytes, name) : NOTHING;
  } catch {
    return NOTHING;
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

/** C3. In pieces, since memory that is used for the first time takes longer than the comparison. */
function isRepeated(fd, bytes) {
  const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, bytes.length));
  for (let at = 0; at < bytes.length; ) {
    const got = fs.readSync(fd, piece, 0, Math.min(piece.length, bytes.length - at), null);
    if (got === 0 || bytes.compare(piece, 0, got, at, at + got) !== 0) return false;
    at += got;
  }
  return true;
}

/** A line of JSON, then the data in the order of `lengths`; each part is padded to the alignment. */
function parseCache(bytes, name) {
  const lineEnd = bytes.indexOf('\n');
  const header = JSON.parse(bytes.latin1Slice(0, lineEnd));
  if (header.name !== name) return NOTHING;
  const scripts = new Map();
  let at = lineEnd + 1;
  for (const [file, length] of header.lengths) {
    scripts.set(file, bytes.subarray(at, at + length));
    at += aligned(length);
  }
  return { scripts, used: new Set(header.used) };
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

function aligned(length) {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
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

/** A cache is valid only for the flags V8 runs with; with changing flags it would be rewritten over and over. */
function hasOtherFlags() {
  return process.execArgv.length > 0 || (process.env.NODE_OPTIONS ?? '') !== '';
}

/** The cache of one command of the program with this digest. */
function openCache(command, digest) {
  const folder = digest === undefined ? undefined : cacheFolder();
  const name = `${command}-${digest}-${process.version}-${process.arch}.cache`;
  const kept = folder === undefined ? NOTHING : readCache(folder, name);
  const scripts = new Map();
  let isOfUse = true;
  let isOneProgram = true;
  return {
    /** `file` names the script in the cache. */
    compile(file, source, options) {
      const cachedData = kept.scripts.get(file);
      const script = new (builtin('node:vm').Script)(source, { ...options, cachedData });
      scripts.set(file, script);
      if (script.cachedDataRejected === true) isOfUse = false;
      // The file may be replaced while the program runs.
      if (digestOf(source) !== digest) isOneProgram = false;
      return script;
    },
    /** Rewrites the cache if a script was used that it does not contain. */
    save(used) {
      const isComplete = isOfUse && used.every((part) => kept.used.has(part));
      if (folder === undefined || isComplete || !isOneProgram || hasOtherFlags()) return;
      writeCache(folder, name, () => {
        const made = [...scripts].map(([file, script]) => [file, script.createCachedData()]);
        return renderCache(name, new Map([...kept.scripts, ...made]), new Set([...kept.used, ...used]));
      });
    },
  };
}

module.exports = { digestOf, openCache, readScript };
