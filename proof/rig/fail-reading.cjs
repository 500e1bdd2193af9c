/**
 * Loaded before the program: makes reading fail. FAIL_READING is JSON:
 *
 *   {"folder": …, "code": "EIO", "kind": "open" | "read" | "close" | "list", "number": 17, "lasts": true, "file": "x.txt"}
 *
 * Counts the operations of this kind below the folder, with `file` only those on names that contain it. Operation `number`
 * ends with the error; with `lasts`, so do all later ones of its kind. A close that fails still closes, as in the kernel. Errors are
 * as Node makes them: for an open file they name no path.
 */
const fs = require('node:fs');
const { constants } = require('node:os');
const { takeOrder } = require('./disk-operations.cjs');

const order = takeOrder('FAIL_READING');
if (order !== undefined) {
  const { folder, code, kind, number, lasts, file = '' } = order;
  const original = { ...fs };
  const { O_WRONLY, O_RDWR } = fs.constants;
  /** Descriptor → path, for files and folders that are open for reading only. */
  const reading = new Map();
  let left = number;

  const refuse = (operation, { syscall, path, named }) => {
    if (operation !== kind || !isBelow(path)) return;
    if (left > 0) left -= 1;
    else if (!lasts) return;
    if (left > 0) return;
    if (!lasts) left = -1;
    const error = new Error(`${code}: refused for the proof, ${syscall}${named ? ` '${path}'` : ''}`);
    throw Object.assign(error, { code, errno: -constants.errno[code], syscall, ...(named ? { path } : {}) });
  };
  const isBelow = (path) => path.startsWith(`${folder}/`) && path.includes(file);
  const placeOf = (fd) => {
    try {
      return original.readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  };
  const isForReading = (flags = 'r') =>
    typeof flags === 'number' ? (flags & (O_WRONLY | O_RDWR)) === 0 : flags === 'r' || flags === 'rs';

  fs.openSync = (path, flags, mode) => {
    if (isForReading(flags)) refuse('open', { syscall: 'open', path: String(path), named: true });
    const fd = original.openSync(path, flags, mode);
    if (isForReading(flags)) reading.set(fd, placeOf(fd));
    else reading.delete(fd);
    return fd;
  };
  for (const name of ['readSync', 'readvSync']) {
    fs[name] = (fd, ...rest) => {
      if (reading.has(fd)) refuse('read', { syscall: 'read', path: reading.get(fd), named: false });
      return original[name](fd, ...rest);
    };
  }
  fs.readFileSync = (path, ...rest) => {
    if (typeof path === 'number') {
      if (reading.has(path)) refuse('read', { syscall: 'read', path: reading.get(path), named: false });
    } else {
      const flags = rest[0]?.flag;
      if (isForReading(flags)) {
        refuse('open', { syscall: 'open', path: String(path), named: true });
        refuse('read', { syscall: 'read', path: String(path), named: false });
      }
    }
    return original.readFileSync(path, ...rest);
  };
  fs.closeSync = (fd) => {
    const path = reading.get(fd);
    reading.delete(fd);
    original.closeSync(fd);
    if (path !== undefined) refuse('close', { syscall: 'close', path, named: false });
  };
  fs.readdirSync = (path, ...rest) => {
    refuse('list', { syscall: 'scandir', path: String(path), named: true });
    return original.readdirSync(path, ...rest);
  };
}
