/**
 * Every file of a workspace is opened by `store/plain-file.ts` or `store/safe-path.ts`, which let nothing lead out of it and wait for no pipe.
 * Whoever opens one in another way stands here with a reason; what is not listed fails.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SRC = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'src');

/** Calls of `fs` that take a path and open, make, copy or link what is there. */
const OPENING =
  /\bfs\.(?:promises\b|(?:open|openAsBlob|readFile|writeFile|appendFile|createReadStream|createWriteStream|copyFile|cp|mkdir|mkdtemp|symlink|link|truncate|opendir|watchFile)(?:Sync)?\()/g;
/** `fs` under another name would not be found. */
const OTHER_NAMES =
  /from '(?:node:)?fs\/promises'|import (?!fs from|type )[^;]* from '(?:node:)?fs'|(?:getBuiltinModule|require)\('(?:node:)?fs/;

/** File → which calls, and why they need no other look. */
const ALLOWED: { readonly [file: string]: readonly [calls: string, reason: string] } = {
  // The ways to open a file that all others use.
  'store/plain-file.ts': ['openSync readFileSync', "opens the program's own files"],
  'store/plain-folder.ts': ['openSync', 'opens the folders they stand in'],
  'store/pinned-folder.ts': ['openSync', 'opens folders without following a link'],
  'store/safe-path.ts': ['mkdirSync openSync', 'opens what users declare, inside the workspace'],
  'store/second-name.ts': ['openSync', 'makes a temporary file in a folder that is pinned'],
  'store/atomic-write.ts': ['linkSync openSync', 'makes a temporary file in a folder that is pinned'],
  'store/make-folder.ts': ['mkdirSync', 'makes a folder in one that is pinned'],
  'store/write-whole.ts': ['openSync', 'opens a folder to sync it; makes a file that is not there (O_EXCL)'],
  'store/lock.ts': ['linkSync', 'gives a name beside the temporary file, in a folder that was looked at'],
  'store/lock-file.ts': ['readFileSync', 'reads what openPlain has opened'],
  'store/move-into-folder.ts': ['copyFileSync linkSync openSync', 'is given places that are pinned'],
  'store/result-cache.ts': [
    'copyFileSync',
    'copies what openInside has opened into a folder it has just made',
  ],
  'store/archive/write-archive.ts': [
    'createWriteStream linkSync openSync',
    'reads without following a link; writes what openPlainTo has opened',
  ],
  'store/archive/read-archive.ts': [
    'createReadStream mkdirSync openSync symlinkSync',
    'unpacks into a folder of its own that it has just made, and opens nothing that is there (A2)',
  ],
  // Found inside by who calls, and used by way of the pinned folder.
  'effects/archive-folder.ts': [
    'createReadStream createWriteStream',
    'streams what openInside and openPlainTo have opened',
  ],
  'effects/worktree.ts': ['symlinkSync', 'makes the links that the worktree of a session is to have'],
  'queue/put-task.ts': ['openSync', 'makes a file that is not there in a folder that is pinned'],
  'operations/projects/init-project.ts': [
    'writeFileSync',
    'makes a file that is not there at a place that is pinned',
  ],
  'session/document/read-tasks.ts': [
    'openSync',
    'thousands of files: each without following a link, in a folder that was looked at',
  ],
  'converse/archives.ts': [
    'linkSync',
    'gives a second name to what it has just unpacked, in a folder that makeFolder has looked at',
  ],
  // Named by the user, who may mean a link or a pipe.
  'store/held-folder.ts': ['openSync', 'holds the workspace open, to notice that it was moved'],
  'store/keep-aside.ts': [
    'copyFileSync linkSync openSync symlinkSync',
    'gives a second name beside the first; a link is copied as a link',
  ],
  'store/written-files.ts': ['openSync', 'appends to its record without following a link'],
  'engine/make-run-folder.ts': [
    'mkdirSync',
    'a new folder under a temporary name, in one that was looked at',
  ],
  'session/add-tasks.ts': ['linkSync', 'gives a name beside a file that it has made'],
  'store/yaml/read-source.ts': ['openSync', 'the workflow that the user names; waits for nothing'],
  'operations/workflows/given-context.ts': ['readFileSync', '`--context-file`'],
  'operations/sessions/plan/read-request.ts': ['readFileSync', '`--file`'],
  'operations/loops/write-instructions.ts': ['readFileSync', '`--from`'],
  'operations/queues/put-in-queue.ts': ['readFileSync', '`--file`'],
  'operations/projects/demo-stage.ts': [
    'cpSync mkdirSync mkdtempSync',
    'an empty folder of the user, or a new temporary one',
  ],
  // Not of a workspace.
  'store/read-foreign.ts': ['openSync readFileSync', 'settings of the user and of agents; waits for nothing'],
  'phases/hook/transcript-lines.ts': ['openSync', 'the transcript that Claude Code names; waits for nothing'],
  'host/stop-signals.ts': ['openSync', '/dev/tty'],
  'cli/commands/mcp.ts': ['readFileSync', 'the package itself'],
  'store/process-identity.ts': ['readFileSync', '/proc'],
  'process/process-table.ts': ['openSync readFileSync', '/proc'],
  'process/text-input.ts': ['openSync writeFileSync', 'a file without a name, in memory'],
  'process/named-pipes.ts': ['mkdtempSync openSync', 'pipes in a temporary folder of its own'],
  'process/spawner.ts': ['openSync', '/dev/null, or what the effect has opened'],
  'process/run-piped.ts': ['openSync', '/dev/null, or what the effect has opened'],
  'process/spawn-helper.ts': ['openSync', 'logs that the parent has just made, without following a link'],
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

it('opens files of a workspace in no other way than the store does', () => {
  const found = Object.fromEntries(
    files.map((file) => [file, callsIn(file)]).filter(([, calls]) => calls !== ''),
  );
  const allowed = Object.fromEntries(Object.entries(ALLOWED).map(([file, [calls]]) => [file, calls]));
  expect(found).toEqual(allowed);
});

it('names the file system `fs` everywhere', () => {
  expect(files.filter((file) => OTHER_NAMES.test(fs.readFileSync(path.join(SRC, file), 'utf8')))).toEqual([]);
});
