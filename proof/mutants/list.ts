/**
 * Known bugs, planted one at a time in a copy of the repository. A mutant is data: the exact text to replace, and the suites and tests
 * that must find it. The text must occur exactly once: a mutant that changes nothing proves nothing.
 */
export interface Mutant {
  readonly name: string;
  /** What the bug does, for the report. */
  readonly title: string;
  readonly file: string;
  readonly text: string;
  readonly replacement: string;
  /** Suites that must find it; `below`: the points to try; `points`: how many of them (default: 200). */
  readonly suites?: readonly { readonly name: string; readonly below?: string; readonly points?: number }[];
  /** Test files that must find it; `title`: part of the titles of the tests to run. */
  readonly tests?: readonly { readonly file: string; readonly title: string }[];
}

const COPY_OF_RESULT = 'const known = work.recordedStep(full);';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'record-not-synced',
    title: 'a result is reported before its record is synced',
    file: 'src/store/journal-file.ts',
    text: '        fs.fdatasyncSync(this.#fd);\n',
    replacement: '',
    suites: [{ name: 'power-loss', below: 'steps' }],
  },
  {
    name: 'folder-not-synced',
    title: 'a document is renamed into place, but the folder is not synced',
    file: 'src/store/atomic-write.ts',
    text: '    if (options.mayLag !== true && options.mayBeLost !== true) folder.sync();\n',
    replacement: '',
    suites: [{ name: 'power-loss', below: 'iterate' }],
  },
  {
    name: 'written-in-place',
    title: 'a document is written in place instead of to a temporary file',
    file: 'src/store/atomic-write.ts',
    text: "  const temporary = `${folder}/${basename(temporaryPath(path))}`;\n  try {\n    const fd = fs.openSync(temporary, 'wx', mode);",
    replacement:
      "  const temporary = `${folder}/${basename(path)}`;\n  try {\n    const fd = fs.openSync(temporary, 'w', mode);",
    suites: [{ name: 'kill-everywhere', below: 'iterate' }],
  },
  {
    name: 'told-before-recorded',
    title: 'a step is reported as ended before its result is appended',
    file: 'src/engine/owned-run.ts',
    text: '    try {\n      await this.#owned.journal.append(event);\n    } catch (problem) {\n      throw this.#journalFailed(problem);\n    }\n    this.#publish(event);\n',
    replacement:
      '    this.#publish(event);\n    try {\n      await this.#owned.journal.append(event);\n    } catch (problem) {\n      throw this.#journalFailed(problem);\n    }\n',
    suites: [{ name: 'kill-everywhere', below: 'steps' }],
  },
  {
    name: 'lock-not-looked-at',
    title: 'a lock is taken even if its owner is alive',
    file: 'src/store/lock.ts',
    text: 'return isTaken ? held(path, current) : inherit(path, temporary, current);',
    replacement: 'return inherit(path, temporary, current);',
    suites: [{ name: 'contention' }],
  },
  {
    name: 'guessed-dead',
    title: 'an owner from another boot is considered dead, even if it is on another machine',
    file: 'src/store/process-life.ts',
    text: "  return isFromBeforeRestart(identity, trace) ? DEAD : unknown('other-boot');",
    replacement: '  return DEAD;',
    suites: [{ name: 'identity', below: 'owner/dead/seen/host-same/boot-other' }],
  },
  {
    name: 'run-seen-too-soon',
    title: 'a run gets its name before it has its lock and journal',
    file: 'src/engine/make-run-folder.ts',
    text: '  const unseen = runPathsIn(temporaryPath(paths.directory));',
    replacement: '  const unseen = paths;',
    suites: [{ name: 'identity', below: 'window/workflow' }],
  },
  {
    name: 'move-not-noticed',
    title: 'the program does not notice that the folder of a run was moved',
    file: 'src/engine/run-place.ts',
    text: '    if (lost === undefined) return undefined;',
    replacement: '    if (lost !== null) return undefined;',
    suites: [{ name: 'identity', below: 'folder' }],
  },
  {
    name: 'checksum-not-looked-at',
    title: 'a record with a wrong checksum is accepted as intact',
    file: 'src/store/journal-format.ts',
    text: 'return crc >>> 0 === crc32Between(bytes, start, bodyEnd);',
    replacement: 'return crc >>> 0 >= 0;',
    suites: [{ name: 'torn-and-flipped' }],
  },
  {
    name: 'torn-tail-kept',
    title: 'a resumed run appends after a torn record instead of truncating it',
    file: 'src/store/journal-file.ts',
    text: '    if (tornBytes > 0) fs.ftruncateSync(fd, wholeBytes);\n',
    replacement: '',
    suites: [{ name: 'kill-everywhere', below: 'steps' }],
  },
  {
    name: 'result-not-found',
    title: 'a recorded result is not found again, so a completed step runs twice',
    file: 'src/engine/local-durable.ts',
    text: COPY_OF_RESULT,
    replacement: 'const known = work.recordedStep(`${full}?` as typeof full);',
    suites: [{ name: 'kill-everywhere', below: 'steps' }],
  },
  {
    name: 'wrong-visit',
    title: 'a revisited step is answered with the result of its first visit',
    file: 'src/engine/local-durable.ts',
    text: COPY_OF_RESULT,
    replacement: "const known = work.recordedStep(full.replace(/#\\d+$/, '') as typeof full);",
    suites: [{ name: 'kill-everywhere', below: 'goto-cycle' }],
  },
  {
    name: 'nothing-swept',
    title: 'temporary files of killed processes are never removed',
    file: 'src/store/temporary-name.ts',
    text: '    sweepIfThere(folder);\n',
    replacement: '',
    suites: [{ name: 'kill-everywhere', below: 'agents' }],
  },
  {
    name: 'view-left-behind',
    title: 'the view of a run that was killed at its end keeps saying that it is running',
    file: 'src/engine/carry-run.ts',
    text: '    over.writeView();\n',
    replacement: '',
    suites: [{ name: 'kill-everywhere', below: 'steps' }],
  },
  {
    name: 'history-line-lost',
    title: 'a history line that a killed hook did not write is lost with the next change',
    file: 'src/phases/files/change-document.ts',
    text: '    history.appendIfMissing(lastLines(document));\n',
    replacement: '',
    suites: [{ name: 'kill-everywhere', below: 'hooks' }],
    tests: [{ file: 'test/phases/kill.test.ts', title: 'two commands in a row' }],
  },
  {
    name: 'tree-forgotten',
    title: 'a process is ended, but not its child processes',
    file: 'src/process/terminate-tree.ts',
    text: '      if (known.has(entry.parent) || known.has(entry.group) || known.has(entry.session)) admit(entry);\n',
    replacement: '',
    suites: [{ name: 'processes', points: 40 }],
    tests: [{ file: 'test/process/terminate-tree.test.ts', title: '' }],
  },
  {
    name: 'no-stamps',
    title: 'processes are started without a stamp',
    file: 'src/process/native-spawner.ts',
    text: 'joinFields([cwd, ...files, mark,',
    replacement: "joinFields([cwd, ...files, '1',",
    suites: [{ name: 'processes', below: 'end/workflow/done/daemons' }],
  },
  {
    name: 'orphans-left',
    title: 'processes left by a killed run are not ended before its step runs again',
    file: 'src/host/compose.ts',
    text: '      const ended = await endLeftProcesses(runMark(site), { graceMs: LEFTOVER_GRACE_MS, started });\n      sweepSpools',
    replacement: '      const ended: number[] = [];\n      sweepSpools',
    suites: [{ name: 'processes', points: 40 }],
    tests: [{ file: 'test/workflow/kill-and-resume.test.ts', title: 'leaves an agent running' }],
  },
  {
    name: 'limit-counted',
    title: 'a wait for a usage limit counts as an attempt',
    file: 'src/engine/retry.ts',
    text: "{ type: 'again', afterMs: waitMs, counted: false }",
    replacement: "{ type: 'again', afterMs: waitMs, counted: true }",
    suites: [{ name: 'time' }],
    tests: [{ file: 'test/engine/local.test.ts', title: 'waits for a usage limit' }],
  },
  {
    name: 'mask-of-whole-chunks',
    title: 'a secret split across two reads is not masked',
    file: 'src/process/mask.ts',
    text: '  let pending = isEnd ? bytes.length : search.pendingFrom(bytes, 0);\n',
    replacement: '  let pending = isEnd || search.forms.length > 0 ? bytes.length : 0;\n',
    suites: [{ name: 'security' }],
    tests: [{ file: 'test/process/mask.test.ts', title: '' }],
  },
  {
    name: 'every-seal-is-mine',
    title: "a run or a result that came with a folder is trusted as the user's own",
    file: 'src/store/seal.ts',
    text: 'return known !== undefined && seal === keyedDigest(known, text);',
    replacement: 'return known !== undefined || seal !== keyedDigest(text, text);',
    suites: [{ name: 'security' }],
    tests: [{ file: 'test/cli/trust.test.ts', title: 'is not resumed without asking' }],
  },
  {
    name: 'changed-is-trusted',
    title: 'a setting stays trusted after its value changed',
    file: 'src/store/trust.ts',
    text: 'return Object.entries(digests).every(([name, digest]) => claims[name] === digest);',
    replacement: 'return Object.keys(digests).every((name) => claims[name] !== undefined);',
    tests: [{ file: 'test/iterate/trust.test.ts', title: 'is trusted with `--trust`' }],
  },
];
