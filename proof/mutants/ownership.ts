/** Who owns a run, and whose files these are: each mechanism left out once; the named test must notice it. */
import type { Mutant } from './mutant.ts';

export const OWNERSHIP_MUTANTS: readonly Mutant[] = [
  {
    name: 'silence-is-death',
    title: 'an owner on another machine is considered dead if its heartbeat is old',
    file: 'src/store/process-life.ts',
    text: 'if (machineId !== own.machineId) return false;',
    replacement: 'if (machineId !== own.machineId) return trace.lastSignAt < Date.now() - 60_000;',
    tests: [{ file: 'test/store/lock.test.ts', title: 'of another machine stays held however old it is' }],
  },
  {
    name: 'sweeps-the-living',
    title: 'a start removes the folder of another run that is just starting',
    file: 'src/store/temporary-name.ts',
    text: 'if (maker.place !== place || !isAbandoned(folder, maker as unknown as Maker)) continue;',
    replacement: 'if (maker.place !== place) continue;',
    tests: [{ file: 'test/cli/run-window.test.ts', title: 'a run that is just starting is removed neither' }],
  },
  {
    name: 'daemons-survive-a-kill',
    title: 'what a killed run left running is searched for among its child processes only',
    file: 'src/process/marks.ts',
    text: 'if (stamp !== undefined && (this.#marks.has(stamp) || this.#runs.has(runPart(stamp)))) return true;',
    replacement: 'if (stamp !== undefined && this.#marks.has(stamp)) return true;',
    tests: [{ file: 'test/workflow/daemons.test.ts', title: 'after the program was killed' }],
  },
  {
    name: 'lost-output-unreported',
    title: 'output that a full disk refused is lost without a word',
    file: 'src/cli/standard-output.ts',
    text: "  if (code !== 'EPIPE') lost ??= code;\n",
    replacement: "  if (code === 'EPIPE') lost ??= undefined;\n",
    tests: [
      { file: 'test/cli/full-output.test.ts', title: 'does its work and reports that JSON lines are lost' },
    ],
  },
  {
    name: 'summaries-emptied',
    title: 'a summary of a task is replaced, whoever wrote it',
    file: 'src/session/views/write-views.ts',
    text: 'if (task !== undefined && !hasSummary(task, graph)) views.remove(`.summaries/${name}`);',
    replacement: "if (task !== undefined) views.write(`.summaries/${name}`, '');",
    tests: [{ file: 'test/session/foreign-files.test.ts', title: 'stays in place when' }],
  },
  {
    name: 'papers-of-others-replaced',
    title: 'a view takes the place of a file of another tool',
    file: 'src/session/views/view-writer.ts',
    text: 'const isOfOthers = files.isForeign(at(name)) && !files.hasWritten(name);',
    replacement: 'const isOfOthers = files.isForeign(at(name)) && files.hasWritten(name);',
    tests: [{ file: 'test/session/foreign-files.test.ts', title: 'keeps every file under its name' }],
  },
  {
    name: 'todos-of-others-replaced',
    title: "a hook replaces another tool's file",
    file: 'src/phases/files/todo-document.ts',
    text: "loaded.type === 'ok' || loaded.error.type === 'missing' ? []",
    replacement: "loaded.type === 'ok' || loaded.error.type !== 'held' ? []",
    tests: [{ file: 'test/phases/foreign-files.test.ts', title: 'are kept when a hook writes there' }],
  },
  {
    name: 'strangers-cleaned',
    title: '`clean` removes the folder of a run with files of others',
    file: 'src/operations/runs/clean-runs.ts',
    text: '    const names = strangersIn(paths.directory);',
    replacement: '    const names = strangersIn(paths.logs);',
    tests: [
      { file: 'test/cli/foreign-files.test.ts', title: 'stop `clean` from removing the folder of a run' },
    ],
  },
  {
    name: 'linked-runs-followed',
    title: 'folders of the program are reached through links',
    file: 'src/store/plain-folder.ts',
    text: "(isOpenPath(path) ? 0 : O_NOFOLLOW));\n  } catch (cause) {\n    throw isLink(path) ? refusal('ELOOP', path) : cause;\n  }\n  try {\n    const real = realPathOfOpen(fd, path);\n    if (isOpenPath(path) || isSamePath(real, path)) return",
    replacement:
      "(O_NOFOLLOW & 0));\n  } catch (cause) {\n    throw isLink(path) ? refusal('ELOOP', path) : cause;\n  }\n  try {\n    const real = realPathOfOpen(fd, path);\n    if (isOpenPath(path) || isSamePath(real, path) || real !== '') return",
    tests: [
      {
        file: 'test/cli/leading-elsewhere.test.ts',
        title: 'a linked run folder is neither read nor removed',
      },
    ],
  },
  {
    name: 'opened-as-it-comes',
    title: 'settings of an agent are read in a way that waits for a pipe',
    file: 'src/operations/trust/settings-files.ts',
    text: 'bytes = readForeignBytes(path);',
    replacement: 'bytes = fs.readFileSync(path);',
    tests: [
      { file: 'test/opening-files.test.ts', title: 'opens files of a workspace only as the store does' },
    ],
  },
  {
    name: 'any-bytes-in-an-archive',
    title: 'an archive may unpack to any size',
    file: 'src/store/archive/read-archive.ts',
    text: 'if (this.#bytes > Limits.mostBytes && this.#bytes > this.#ownBytes * Limits.mostTimesItsSize)',
    replacement: 'if (this.#bytes < 0 && this.#bytes > this.#ownBytes * Limits.mostTimesItsSize)',
    tests: [{ file: 'test/iterate/archive-bombs.test.ts', title: 'with gigabytes of zeros as' }],
  },
];
