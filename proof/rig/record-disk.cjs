/**
 * Loaded before the program: records, in order, everything that is done to the disk below one folder.
 * RECORD_DISK is JSON: {"folder": …, "trace": …}. The trace has one JSON line for each:
 *
 *   {"kind": "create" | "write" | "truncate" | "rename" | "link" | "symlink" | "unlink" | "mkdir" | "rmdir" | "sync", "path", …}
 *   {"kind": "put" | "gone", "path", …}   a change by another process in the folder: a command, an agent
 *   {"kind": "called", "text"}            what the commands and agents of a play have reported about themselves
 *   {"kind": "told", "text"}              what the program has printed
 *
 * Paths are relative to the folder, bytes in base64. An operation is recorded when it is done, before the program continues; changes by others
 * are searched for before each, except where an operation of the program is under way: that change is its own.
 */
const fs = require('node:fs');
const path = require('node:path');
const { takeOrder, watchDisk } = require('./disk-operations.cjs');

const real = { ...fs };
const order = takeOrder('RECORD_DISK');
if (order !== undefined) record(order);

function record({ folder, trace }) {
  const log = real.openSync(trace, 'a');
  const say = (line) => real.writeSync(log, `${JSON.stringify(line)}\n`);
  const files = knownFiles(folder, say);
  const nameOf = (place) => path.relative(folder, place) || '.';
  const isInside = (place) => place === folder || place.startsWith(`${folder}/`);
  const concerns = ({ path: place, to }) => isInside(place) || (to !== undefined && isInside(to));

  const namesOf = ({ path: place, to }) => [place, to].filter((one) => one !== undefined).map(nameOf);
  watchDisk({
    before(operation) {
      if (!concerns(operation)) return;
      files.lookForOthers();
      files.begins(namesOf(operation));
    },
    failed(operation) {
      if (concerns(operation)) files.ends(namesOf(operation));
    },
    after(operation) {
      const { kind, path: place, to, bytes, position, flags } = operation;
      if (!concerns(operation)) return;
      files.ends(namesOf(operation));
      if (kind === 'attributes') return;
      const name = kind === 'symlink' ? place : nameOf(place);
      const target = to === undefined ? undefined : nameOf(to);
      const stat = real.lstatSync(path.join(folder, target ?? name), { throwIfNoEntry: false });
      say({
        ...{ kind, path: name, inode: stat?.ino },
        ...(target === undefined ? {} : { to: target }),
        ...(bytes === undefined ? {} : { bytes: bytes.toString('base64') }),
        ...{ position, flags },
        ...(kind === 'truncate' ? { size: stat?.size } : {}),
      });
      files.ownChange(kind, name, target);
    },
  });
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream);
    stream.write = (text, ...rest) => {
      say({ kind: 'told', text: String(text) });
      return write(text, ...rest);
    };
  }
  const { reallyExit } = process;
  // Also without an exit event.
  process.reallyExit = (code) => {
    files.lookForOthers();
    reallyExit.call(process, code);
  };
  process.on('exit', files.lookForOthers);
}

/** The known state of each file. Any other change was made by another process. */
function knownFiles(folder, say) {
  const known = new Map();
  /** Names that operations of the program are changing, once for each. */
  const underWay = [];
  const isUnderWay = (name) => underWay.some((one) => name === one || name.startsWith(`${one}/`));
  let called = 0;
  const look = (name) => {
    const stat = real.lstatSync(path.join(folder, name), { throwIfNoEntry: false, bigint: true });
    if (stat === undefined) known.delete(name);
    else known.set(name, `${stat.ino} ${stat.isFile() ? `${stat.size} ${stat.mtimeNs}` : ''}`);
    return stat;
  };
  const walk = (below, visit) => {
    for (const entry of real.readdirSync(path.join(folder, below), { withFileTypes: true })) {
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      if (name === '.proof') continue;
      visit(name);
      if (entry.isDirectory()) walk(name, visit);
    }
  };
  const lookForCalls = () => {
    const calls = path.join(folder, '.proof', 'calls');
    const text = real.existsSync(calls) ? real.readFileSync(calls, 'utf8') : '';
    if (text.length > called) say({ kind: 'called', text: text.slice(called) });
    called = text.length;
  };
  const lookForOthers = () => {
    lookForCalls();
    const seen = new Set();
    walk('', (name) => {
      seen.add(name);
      if (isUnderWay(name)) return;
      const before = known.get(name);
      const stat = look(name);
      if (stat === undefined && before !== undefined) say({ kind: 'gone', path: name });
      if (stat === undefined || known.get(name) === before) return;
      const inode = Number(stat.ino);
      if (stat.isDirectory()) say({ kind: 'put', path: name, inode });
      else if (stat.isFile())
        say({
          kind: 'put',
          path: name,
          inode,
          bytes: real.readFileSync(path.join(folder, name)).toString('base64'),
        });
    });
    for (const name of [...known.keys()].reverse()) {
      if (seen.has(name) || isUnderWay(name)) continue;
      known.delete(name);
      say({ kind: 'gone', path: name });
    }
  };
  const ownChange = (kind, name, target) => {
    for (const one of [...known.keys()]) {
      if (one !== name && !one.startsWith(`${name}/`)) continue;
      if (kind === 'rename') look(target + one.slice(name.length));
      if (kind === 'rename' || kind === 'unlink' || kind === 'rmdir') known.delete(one);
    }
    if (kind !== 'symlink' && kind !== 'rename' && kind !== 'unlink' && kind !== 'rmdir' && name !== '.')
      look(name);
    if (target !== undefined) look(target);
  };

  // Existing files are not a change.
  walk('', look);
  called = real.existsSync(path.join(folder, '.proof', 'calls'))
    ? real.readFileSync(path.join(folder, '.proof', 'calls'), 'utf8').length
    : 0;
  /** Only the prefix of its name was given. */
  return {
    ...{ lookForOthers, ownChange },
    begins(names) {
      underWay.push(...names);
    },
    ends(names) {
      for (const name of names) {
        const at = underWay.indexOf(name);
        // A folder that Node has named began with its prefix only.
        if (at !== -1) underWay.splice(at, 1);
      }
    },
  };
}
