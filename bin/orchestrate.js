#!/usr/bin/env node
/**
 * The first file of the program. A hook runs for many tool calls of an agent, and start-up is most of its time. So it is handled here, without the
 * launcher of all other commands: one script, `dist/hook/hook.cjs`, with V8's code cache. The first call of a built-in function takes up to a
 * fifth of a millisecond, so only few are called here, and only ones that the script needs as well.
 *
 * V8's code cache for the program's own scripts is in the user's cache folder. It is made when a command is used for the first time, because V8
 * accepts a cache only from exactly the same V8; `save-cache.js` writes it. Reading it is here, since loading another file takes 0.3 ms of
 * every hook. A code cache is code, and V8 runs what it is given: it compares only the length of the source and does not check for damage. So:
 *
 * C1 It is read only if the file and its folder belong to this user and are not writable by others; links are not followed.
 * C2 Its name identifies its source: the digest of the program (version and scripts), the version of Node and the processor.
 * C3 It contains everything twice, and both halves must be equal. (Comparing them takes 0.1 ms; loading `node:zlib` for a checksum, 2 ms.)
 * C4 It is written atomically, by a rename. If it cannot be written or read, the program works without it and prints nothing.
 * C5 Only the newest few are kept. Only files with names of this format are removed.
 *
 * Every Node must be able to read this file.
 */
const HOOK = `${__dirname}/../dist/hook/hook.cjs`;
/** All other events contain a hyphen, which no subcommand of `hook` does. */
const EVENTS_OF_ONE_WORD = ['stop', 'notification', 'elicitation', 'setup'];
/** V8 copies data that does not start at a multiple of this. */
const ALIGNMENT = 8;
const PIECE_BYTES = 64 * 1024;

/** Unlike `require`, this does not also create an ES module of a built-in: that takes a quarter of a millisecond for these two. */
const builtin = process.getBuiltinModule;
const isSupported = builtin !== undefined && process.platform !== 'win32';
const fs = isSupported ? builtin('node:fs') : undefined;

/** Events whose hooks return an answer. They use most of the script, so they write the code cache, once per kind. */
async function answer(event, folder) {
  const source = readScript(HOOK);
  const cache = openCache('hook', digestOf(source));
  const exports = {};
  cache.compile('hook.cjs', source, { filename: HOOK }).runInThisContext()(exports, builtin);
  const { isAnswered } = await exports.main(event, folder);
  if (isAnswered) cache.save([event]);
}

function isEvent(argument = '') {
  return argument.indexOf('-') > 0 || EVENTS_OF_ONE_WORD.includes(argument);
}

/** The words of the command without `-C <folder>`, which may be repeated, and the folder it leads to. */
function withoutFolders(argv) {
  const words = [];
  let folder;
  for (let at = 0; at < argv.length; at += 1) {
    if (!argv[at].startsWith('-C')) words.push(argv[at]);
    else folder = builtin('node:path').resolve(folder || '', argv[at].slice(2) || argv[++at] || '');
  }
  return { words, folder };
}

function start() {
  const {
    words: [command, event, ...rest],
    folder,
  } = withoutFolders(process.argv.slice(2));
  // An unknown event is not an error: agents treat exit code 2 of some hooks as a veto.
  if (command === 'hook' && isEvent(event) && !rest.includes('--help')) {
    /**
     * The agent must continue whatever happens, even while the program is being reinstalled. It waits for the exit, so skip the clean-up of
     * `process.exit`, which takes a millisecond.
     */
    const end = () => process.reallyExit(0);
    answer(event, folder).then(end, end);
  } else require('./launch.js').launch('orchestrate', module.exports);
}

/** Digest of the program, in the first line of each of its scripts; empty if the file is something else. */
function digestOf(source) {
  const found = /^\/\*([0-9a-f]{16})\*\//.exec(source.slice(0, 20));
  return found === null ? undefined : found[1];
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

/** The cache of one command of the program with this digest. */
function openCache(command, digest) {
  const folder = digest === undefined ? undefined : cacheFolder();
  const name = `${command}-${digest}-${process.version}-${process.arch}.cache`;
  const kept = (folder !== undefined && readCache(folder, name)) || { scripts: new Map(), used: new Set() };
  const cache = { folder, name, kept, scripts: new Map(), isOfUse: true, isOneProgram: true };
  return {
    /** `file` names the script in the cache. */
    compile(file, source, options) {
      const cachedData = kept.scripts.get(file);
      const script = new (builtin('node:vm').Script)(source, Object.assign({ cachedData }, options));
      cache.scripts.set(file, script);
      if (script.cachedDataRejected === true) cache.isOfUse = false;
      // The file may be replaced while the program runs.
      if (digestOf(source) !== digest) cache.isOneProgram = false;
      return script;
    },
    /** Rewrites the cache if a script was used that it does not contain. */
    save(used) {
      if (cache.isOfUse && used.every((part) => kept.used.has(part))) return;
      if (folder !== undefined && cache.isOneProgram) require('./save-cache.js').saveCache(cache, used);
    },
  };
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

/** Reads a cache: V8's data of each script, and the names of the scripts that were used when it was made. Undefined if there is none. */
function readCache(folder, name) {
  let fd;
  try {
    if (!isOurFolder(folder)) return undefined;
    fd = fs.openSync(`${folder}/${name}`, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
    const stats = fs.fstatSync(fd);
    if (!stats.isFile() || !isOurs(stats)) return undefined;
    const bytes = readBytes(fd, stats.size / 2);
    return isRepeated(fd, bytes) ? parseCache(bytes, name) : undefined;
  } catch (_) {
    return undefined;
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
  if (header.name !== name) return undefined;
  const scripts = new Map();
  let at = lineEnd + 1;
  for (const [file, length] of header.lengths) {
    scripts.set(file, bytes.subarray(at, at + length));
    at += aligned(length);
  }
  return { scripts, used: new Set(header.used) };
}

function aligned(length) {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}

module.exports = { aligned, digestOf, isOurFolder, openCache, readScript };

if (require.main === module) {
  if (isSupported) start();
  else require('./unsupported.js')();
}
