/**
 * Intercepts every operation of this process that changes the disk, in order to stop, corrupt or record it: a file
 * that is loaded before the program (`NODE_OPTIONS=--require=…`) calls `watchDisk` with what to do before and after each.
 *
 * O1 An operation is a single kernel operation. Functions of Node that do several (`writeFileSync`, `rmSync` of a tree, `mkdirSync` of a
 *    path, `copyFileSync`) are split here, so that each has a before and an after.
 * O2 Calls of the program and of Node's streams go through the `fs` module object, where they are intercepted: synchronous, callback, promise
 *    and file handle functions. strace checks that nothing bypasses it: `kill-everywhere`, points `…/strace`.
 * O3 Only files, folders and links: writing to a pipe, a terminal or standard output is not an operation. Children are not watched.
 */
const fs = require('node:fs');
const path = require('node:path');

/**
 * An operation:
 *   name      function name: `renameSync`, `write`, `FileHandle.sync`
 *   kind      create · write · sync · truncate · rename · link · symlink · unlink · mkdir · rmdir · attributes
 *   path, to  absolute, never through /proc; `to` for a rename, link or symlink
 *   number    counts the operations of this name from 1
 *   bytes     for a write; `position` if it is not at the end of the file or its pointer
 *   flags     for a create: a number
 *
 * `before(operation)` may throw: the program gets the error. For a write it may return {limit}: only that many bytes are written.
 * `after(operation)` is called when it is done, before the program continues, and `failed(operation)` instead if it was refused. Between
 * `before` and these, an operation with a callback or a promise is under way, and the program does others.
 */
function watchDisk({ before = () => undefined, after = () => undefined, failed = () => undefined }) {
  const counts = new Map();
  const numbered = (operation) => {
    const number = (counts.get(operation.name) ?? 0) + 1;
    counts.set(operation.name, number);
    return { ...operation, number };
  };
  const original = { ...fs };

  /** A synchronous function. */
  const sync = (name, describe, call = (args) => original[name](...args)) => {
    fs[name] = (...args) => {
      const described = describe(...args);
      if (described === undefined) return original[name](...args);
      const operation = numbered({ name, ...described });
      const answer = before(operation);
      let result;
      try {
        result = call(limited(args, operation, answer?.limit));
      } catch (problem) {
        failed(operation);
        throw problem;
      }
      after(madeAs(operation, result));
      return result;
    };
  };
  /** A function with a callback as its last argument. */
  const callback = (name, describe) => {
    fs[name] = (...args) => {
      const tell = args.at(-1);
      const described = typeof tell === 'function' ? describe(...args) : undefined;
      if (described === undefined) return original[name](...args);
      const operation = numbered({ name, ...described });
      let answer;
      try {
        answer = before(operation);
      } catch (problem) {
        process.nextTick(tell, problem);
        return undefined;
      }
      const given = limited(args.slice(0, -1), operation, answer?.limit);
      return original[name](...given, (problem, ...rest) => {
        if (problem === null || problem === undefined) after(madeAs(operation, rest[0]));
        else failed(operation);
        tell(problem, ...rest);
      });
    };
  };
  const promise = (holder, { name, as, describe }) => {
    const made = holder[name];
    holder[name] = async function operate(...args) {
      const described = describe.call(this, ...args);
      if (described === undefined) return made.apply(this, args);
      const operation = numbered({ name: as, ...described });
      const answer = before(operation);
      try {
        const result = await made.apply(this, limited(args, operation, answer?.limit));
        after(madeAs(operation, result));
        return result;
      } catch (problem) {
        failed(operation);
        throw problem;
      }
    };
  };

  for (const [name, describe] of Object.entries(BY_PATH)) {
    sync(`${name}Sync`, describe);
    callback(name, describe);
    promise(fs.promises, { name, as: `promises.${name}`, describe });
  }
  for (const [name, describe] of Object.entries(BY_DESCRIPTOR)) {
    sync(`${name}Sync`, describe);
    callback(name, describe);
  }
  takeApart(original);
  watchHandles(promise);
}

const { O_CREAT, O_TRUNC, O_EXCL, O_WRONLY, O_RDWR, O_APPEND } = fs.constants;
const FLAGS = {
  ...{ w: O_WRONLY | O_CREAT | O_TRUNC, 'w+': O_RDWR | O_CREAT | O_TRUNC },
  ...{ a: O_WRONLY | O_CREAT | O_APPEND, 'a+': O_RDWR | O_CREAT | O_APPEND },
};

function flagsOf(flags) {
  if (typeof flags === 'number') return flags;
  const text = String(flags ?? 'r');
  const plain = text.replace(/[sx]/g, '');
  return (FLAGS[plain] ?? 0) | (text.includes('x') ? O_EXCL : 0);
}

const at = (place) => path.resolve(Buffer.isBuffer(place) || place instanceof URL ? String(place) : place);

/** The usual path of a place below a folder that the program holds open. */
function named(place) {
  const whole = at(place);
  const pinned = /^\/proc\/self\/fd\/(\d+)(\/.*)?$/.exec(whole);
  return pinned === null ? whole : placeOf(pinned[1]) + (pinned[2] ?? '');
}

/** /dev/shm counts as a disk. */
function isDevice(place) {
  return place.startsWith('/dev/') && !place.startsWith('/dev/shm/');
}

/** Operations on a name: the function → its operation; undefined if it changes nothing. */
const BY_PATH = {
  open: (place, given) => {
    const flags = flagsOf(typeof given === 'function' ? undefined : given);
    if ((flags & (O_CREAT | O_TRUNC)) === 0 || isDevice(named(place))) return undefined;
    return { kind: 'create', path: named(place), flags };
  },
  rename: (from, to) => ({ kind: 'rename', path: named(from), to: named(to) }),
  link: (from, to) => ({ kind: 'link', path: named(from), to: named(to) }),
  symlink: (target, to) => ({ kind: 'symlink', path: String(target), to: named(to) }),
  unlink: (place) => ({ kind: 'unlink', path: named(place) }),
  rmdir: (place) => ({ kind: 'rmdir', path: named(place) }),
  mkdir: (place, options) => (isRecursive(options) ? undefined : { kind: 'mkdir', path: named(place) }),
  mkdtemp: (prefix) => ({ kind: 'mkdir', path: named(prefix) }),
  truncate: (place) => ({ kind: 'truncate', path: named(place) }),
  chmod: (place) => ({ kind: 'attributes', path: named(place) }),
  utimes: (place) => ({ kind: 'attributes', path: named(place) }),
};

/** Operations on an open file. */
const BY_DESCRIPTOR = {
  write: (fd, data, ...rest) => {
    const place = fileAt(fd);
    return place === undefined ? undefined : { kind: 'write', path: place, ...written(data, rest) };
  },
  writev: (fd, parts, position) => {
    const place = fileAt(fd);
    if (place === undefined) return undefined;
    return { kind: 'write', path: place, bytes: Buffer.concat(parts), ...positionOf(position) };
  },
  fsync: (fd) => ({ kind: 'sync', path: placeOf(fd) }),
  fdatasync: (fd) => ({ kind: 'sync', path: placeOf(fd) }),
  ftruncate: (fd) => ({ kind: 'truncate', path: placeOf(fd) }),
  fchmod: (fd) => ({ kind: 'attributes', path: placeOf(fd) }),
  futimes: (fd) => ({ kind: 'attributes', path: placeOf(fd) }),
};

/** For a folder that Node has named, that name. */
function madeAs(operation, result) {
  return operation.name.includes('mkdtemp') ? { ...operation, path: named(result) } : operation;
}

function isRecursive(options) {
  return typeof options === 'object' && options !== null && options.recursive === true;
}

/** `write(fd, bytes, offset, length, position)`, `write(fd, bytes, {offset, …})`, `write(fd, text, position, encoding)`. */
function written(data, [first, second, third]) {
  if (typeof data === 'string')
    return { bytes: Buffer.from(data, typeof second === 'string' ? second : 'utf8'), ...positionOf(first) };
  const whole = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const given = typeof first === 'object' && first !== null ? first : undefined;
  const offset = given === undefined ? numberOr(first, 0) : (given.offset ?? 0);
  const length =
    given === undefined ? numberOr(second, whole.length - offset) : (given.length ?? whole.length - offset);
  const position = given === undefined ? third : given.position;
  return { bytes: whole.subarray(offset, offset + length), ...positionOf(position) };
}

function positionOf(position) {
  return typeof position === 'number' ? { position } : {};
}

function numberOr(value, otherwise) {
  return typeof value === 'number' ? value : otherwise;
}

/** The same call with only the first `limit` bytes. */
function limited(args, operation, limit) {
  if (limit === undefined || operation.kind !== 'write') return args;
  const place = operation.position ?? null;
  const part = operation.bytes.subarray(0, limit);
  if (operation.name.startsWith('writev')) return [args[0], [part], place];
  return operation.name.startsWith('FileHandle') ? [part, 0, limit, place] : [args[0], part, 0, limit, place];
}

function placeOf(fd) {
  return fs.readlinkSync(`/proc/self/fd/${fd}`);
}

function fileAt(fd) {
  try {
    return fd > 2 && fs.fstatSync(fd).isFile() ? placeOf(fd) : undefined;
  } catch {
    return undefined;
  }
}

/** O1: reimplemented with the watched functions of `fs`. */
function takeApart(original) {
  const put = (place, data, { flag, mode, encoding, flush }) => {
    const fd = typeof place === 'number' ? place : fs.openSync(place, flag, mode);
    try {
      const bytes = typeof data === 'string' ? Buffer.from(data, encoding ?? 'utf8') : data;
      for (let done = 0; done < bytes.length; ) done += fs.writeSync(fd, bytes, done, bytes.length - done);
      if (flush === true) fs.fsyncSync(fd);
    } finally {
      if (fd !== place) fs.closeSync(fd);
    }
  };
  const optionsOf = (given) => (typeof given === 'string' ? { encoding: given } : (given ?? {}));
  fs.writeFileSync = (place, data, options) =>
    put(place, data, { flag: 'w', mode: 0o666, ...optionsOf(options) });
  fs.appendFileSync = (place, data, options) =>
    put(place, data, { flag: 'a', mode: 0o666, ...optionsOf(options) });

  fs.copyFileSync = (from, to, mode = 0) => {
    const exclusive = (mode & fs.constants.COPYFILE_EXCL) !== 0;
    const stat = fs.statSync(from);
    const fd = fs.openSync(to, exclusive ? 'wx' : 'w', stat.mode & 0o777);
    try {
      const bytes = fs.readFileSync(from);
      for (let done = 0; done < bytes.length; ) done += fs.writeSync(fd, bytes, done, bytes.length - done);
      fs.fchmodSync(fd, stat.mode & 0o777);
    } finally {
      fs.closeSync(fd);
    }
  };

  const plainMkdir = fs.mkdirSync;
  fs.mkdirSync = (place, options) => {
    if (!isRecursive(options)) return plainMkdir(place, options);
    const made = [];
    for (let missing = at(place); !original.existsSync(missing); missing = path.dirname(missing))
      made.unshift(missing);
    // Something that is not a folder is in the way: let Node report it.
    if (made.length === 0) return original.mkdirSync(place, options);
    for (const folder of made) {
      try {
        plainMkdir(folder, options.mode);
      } catch (problem) {
        if (problem.code !== 'EEXIST') throw problem;
      }
    }
    return made[0];
  };

  const removeTree = (place) => {
    const stat = original.lstatSync(place, { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (!stat.isDirectory()) return fs.unlinkSync(place);
    for (const name of original.readdirSync(place)) removeTree(path.join(place, name));
    fs.rmdirSync(place);
  };
  fs.rmSync = (place, options = {}) => {
    const stat = original.lstatSync(place, { throwIfNoEntry: false });
    if (stat === undefined || (stat.isDirectory() && options.recursive !== true))
      return original.rmSync(place, options);
    try {
      removeTree(String(place));
    } catch (problem) {
      if (problem.code !== 'ENOENT' || options.force !== true) throw problem;
    }
  };
}

/** The methods of file handles are patched when the first one is opened. */
function watchHandles(promise) {
  const { open } = fs.promises;
  const describe = (kind) =>
    function described(...args) {
      const place = fileAt(this.fd) ?? placeOf(this.fd);
      return { kind, path: place, ...(kind === 'write' ? written(args[0], args.slice(1)) : {}) };
    };
  let known = false;
  fs.promises.open = async (...args) => {
    const handle = await open(...args);
    if (!known) {
      known = true;
      const methods = { write: 'write', sync: 'sync', datasync: 'sync', truncate: 'truncate' };
      for (const [name, kind] of Object.entries(methods))
        promise(Object.getPrototypeOf(handle), { name, as: `FileHandle.${name}`, describe: describe(kind) });
    }
    return handle;
  };
}

/** Whether this process is the program, and not another Node process started by it. */
function isProgram() {
  return /(?:orchestrate|claude-iterate)\.js$/.test(process.argv[1] ?? '');
}

/**
 * The order for this process alone: its children do not receive it. The program still sees that Node was given
 * options, and so writes no code cache: its disk operations are the same whether it has one or not.
 */
function takeOrder(variable) {
  const text = process.env[variable];
  process.execArgv.push('--require');
  delete process.env.NODE_OPTIONS;
  delete process.env[variable];
  return isProgram() && text !== undefined ? JSON.parse(text) : undefined;
}

module.exports = { watchDisk, takeOrder };
