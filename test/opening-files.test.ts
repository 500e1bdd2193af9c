/**
 * Every file of a workspace is opened by `store/plain-file.ts` or `store/safe-path.ts`, which never leave the workspace and never block on a pipe.
 * Other ways to open a file are listed here with a reason; anything else fails.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SRC = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'src');

/** Calls of `fs` that take a path and open, create, copy or link what is there. */
const OPENING =
  /\bfs\.(?:promises\b|(?:open|openAsBlob|readFile|writeFile|appendFile|createReadStream|createWriteStream|copyFile|cp|mkdir|mkdtemp|symlink|link|truncate|opendir|watchFile)(?:Sync)?\()/g;
/** `fs` under another name would not be found. */
const OTHER_NAMES =
  /from '(?:node:)?fs\/promises'|import (?!fs from|type )[^;]* from '(?:node:)?fs'|(?:getBuiltinModule|require)\('(?:node:)?fs/;

/** File → which calls, and why they are safe. */
const ALLOWED: { readonly [file: string]: readonly [calls: string, reason: string] } = {
  // The functions that all other code uses to open a file.
  'store/plain-file.ts': ['openSync readFileSync', "opens the program's own files"],
  'store/plain-folder.ts': ['openSync', 'opens their parent folders'],
  'store/many-files.ts': ['openSync', 'one of thousands: without following a link, in a checked folder'],
  'store/pinned-folder.ts': ['openSync', 'opens folders without following a link'],
  'store/safe-path.ts': ['mkdirSync openSync', 'opens what users declare, inside the workspace'],
  'store/second-name.ts': ['openSync', 'creates a temporary file in a pinned folder'],
  'store/atomic-write.ts': ['linkSync openSync', 'creates a temporary file in a pinned folder'],
  'store/make-folder.ts': ['mkdirSync', 'creates a folder in a pinned one'],
  'store/write-whole.ts': ['openSync', 'opens a folder to sync it; creates a new file (O_EXCL)'],
  'store/lock.ts': ['linkSync', 'gives a name beside the temporary file, in a folder that was looked at'],
  'store/lock-file.ts': ['readFileSync', 'reads what openPlain opened'],
  'store/move-into-folder.ts': ['copyFileSync linkSync openSync', 'receives pinned places'],
  'store/result-cache.ts': [
    'copyFileSync',
    'copies what openInside opened into a folder it has just created',
  ],
  'store/archive/write-archive.ts': [
    'createWriteStream linkSync openSync',
    'reads without following a link; writes what openPlainTo opened',
  ],
  'store/archive/read-archive.ts': [
    'createReadStream mkdirSync openSync symlinkSync',
    'unpacks into a folder that it has just created, and opens nothing that exists (A2)',
  ],
  // Checked to be inside by the caller, and used through the pinned folder.
  'effects/archive-folder.ts': [
    'createReadStream createWriteStream',
    'streams what openInside and openPlainTo opened',
  ],
  'cluster/trying/find-postgres.ts': [
    'readFileSync symlinkSync',
    'completes an installed package: links that its own list names, beside their targets',
  ],
  'cluster/trying/own-postgres.ts': ['readFileSync', 'reads the list of users of this machine'],
  'effects/sandbox.ts': ['mkdirSync', "creates an agent's own folder in the home folder, if there is none"],
  'process/sandbox/outer-gate.ts': ['mkdtempSync', 'creates a folder in the temporary folder'],
  'git/extra-files.ts': [
    'copyFileSync symlinkSync',
    'copies and links into a worktree that it has just created',
  ],
  'git/write-index.ts': ['linkSync', "creates a second name beside its own file, in git's folder"],
  'queue/put-task.ts': ['openSync', 'creates a new file in a pinned folder'],
  'operations/projects/init-project.ts': ['writeFileSync', 'creates a new file at a pinned place'],
  'converse/archives.ts': [
    'linkSync',
    'creates a second name for what it has just unpacked, in a folder that makeFolder checked',
  ],
  // Named by the user, who may intend a link or a pipe.
  'store/held-folder.ts': ['openSync', 'holds the workspace open, to notice that it was moved'],
  'store/keep-aside.ts': [
    'copyFileSync linkSync openSync symlinkSync',
    'creates a second name beside the first; a link is copied as a link',
  ],
  'store/written-files.ts': ['openSync', 'appends to its record without following a link'],
  'engine/make-run-folder.ts': ['mkdirSync', 'a new folder under a temporary name, in a checked one'],
  'sdk/tested/kill-at-every-record.ts': [
    'cpSync mkdirSync readFileSync writeFileSync',
    'in the temporary folder of a test',
  ],
  'sdk/tested/temporary-workspace.ts': ['mkdirSync mkdtempSync writeFileSync', 'a new temporary folder'],
  'session/add-tasks.ts': ['linkSync', 'creates a name beside a file that it created'],
  'store/yaml/read-source.ts': ['openSync', 'the workflow that the user names; does not block'],
  'operations/workflows/given-context.ts': ['readFileSync', '`--context-file`'],
  'operations/sessions/plan/read-request.ts': ['readFileSync', '`--file`'],
  'cli/iterate/set.ts': ['readFileSync', '`--instructions`'],
  'operations/loops/write-instructions.ts': ['readFileSync', '`--from`'],
  'operations/queues/put-in-queue.ts': ['readFileSync', '`--file`'],
  'operations/projects/demo-stage.ts': [
    'cpSync mkdirSync mkdtempSync',
    'an empty folder of the user, or a new temporary one',
  ],
  // Not in a workspace.
  'store/read-foreign.ts': ['openSync readFileSync', 'settings of the user and of agents; does not block'],
  'phases/hook/transcript-lines.ts': ['openSync', 'the transcript that Claude Code names; does not block'],
  'host/stop-signals.ts': ['openSync readFileSync', '/dev/tty, /proc'],
  'cli/version.ts': ['readFileSync', 'the package itself'],
  'http/static-files.ts': ['readFileSync', 'the built page: a closed list of names'],
  'store/process-identity.ts': ['readFileSync', '/proc'],
  'process/process-table.ts': ['openSync readFileSync', '/proc'],
  'process/sandbox/user-namespaces.ts': ['readFileSync', '/proc/sys'],
  'process/text-input.ts': ['openSync writeFileSync', 'an unnamed file in memory'],
  'process/named-pipes.ts': ['mkdtempSync openSync', 'pipes in a temporary folder of its own'],
  'process/spawner.ts': ['openSync', '/dev/null, or what the effect opened'],
  'process/run-piped.ts': ['openSync', '/dev/null, or what the effect opened'],
  'process/spawn-helper.ts': ['openSync', 'logs that the parent has just created, without following a link'],
};

const files = fs
  .readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .sort();

function callsIn(file: string): string {
  const source = fs.readFileSync(path.join(SRC, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  const found = [...source.matchAll(OPENING)].map(([call]) => call.replace(/^fs\.|\($/g, ''));
  return [...new Set(found)].sort().join(' ');
}

it('opens files of a workspace only as the store does', () => {
  const found = Object.fromEntries(
    files.map((file) => [file, callsIn(file)]).filter(([, calls]) => calls !== ''),
  );
  const allowed = Object.fromEntries(Object.entries(ALLOWED).map(([file, [calls]]) => [file, calls]));
  expect(found).toEqual(allowed);
});

it('calls the file system module `fs` everywhere', () => {
  expect(files.filter((file) => OTHER_NAMES.test(fs.readFileSync(path.join(SRC, file), 'utf8')))).toEqual([]);
});
