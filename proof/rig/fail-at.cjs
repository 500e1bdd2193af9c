/**
 * Loaded before the program: makes disk operations fail. FAIL_AT is JSON:
 *
 *   {"folder": …, "code": "ENOSPC", "kind": "write", "number": 17, "lasts": true}
 *
 * Counts the operations of this kind below the folder, with `file` only those on names that contain it. Operation `number` is not done, and the
 * program gets the error; with `lasts`, so do all later ones that can end with the error.
 */
const { constants } = require('node:os');
const { takeOrder, watchDisk } = require('./disk-operations.cjs');

/** Error → the kinds of operation that can end with it. */
const HAPPENS_TO = {
  ENOSPC: ['create', 'write', 'mkdir', 'link', 'rename', 'sync'],
  EIO: ['create', 'write', 'mkdir', 'link', 'rename', 'sync', 'unlink', 'truncate'],
  EACCES: ['create', 'mkdir', 'link', 'rename', 'unlink'],
  EROFS: ['create', 'write', 'mkdir', 'link', 'rename', 'unlink', 'truncate'],
  EMFILE: ['create'],
};

const order = takeOrder('FAIL_AT');
if (order !== undefined) {
  const { folder, code, kind, number, lasts, file = '' } = order;
  let left = number;
  const refusal = ({ name, path }) => {
    const syscall = name.replace(/Sync$|^promises\.|^FileHandle\./g, '');
    const error = new Error(`${code}: refused for the proof, ${syscall} '${path}'`);
    return Object.assign(error, { code, errno: -constants.errno[code], syscall, path });
  };
  watchDisk({
    before(operation) {
      if (!operation.path.startsWith(`${folder}/`) || !HAPPENS_TO[code].includes(operation.kind))
        return undefined;
      if (left > 0 && operation.kind === kind && operation.path.includes(file)) {
        left -= 1;
        if (left === 0) throw refusal(operation);
      } else if (left === 0 && lasts) throw refusal(operation);
      return undefined;
    },
  });
}

module.exports = { HAPPENS_TO };
