/**
 * Watches a process of the command line from when it first loads code of the user. In a program that embeds workflows, this is up to that
 * program.
 *
 * G1 An error that nothing caught is the failure of the program in code that it comes from, not the end of the process.
 * G2 A program that waits for what never happens fails: Node alone would end the process as if it had succeeded.
 * G3 A call of `process.exit()` leaves the run interrupted, with a message and an exit code other than 0.
 * G4 While a file is loaded, the same are mistakes in the file.
 */
import fs from 'node:fs';
import type { Execution } from '../../code/run/execution.ts';
import { Mistake } from '../../code/run/mistake.ts';
import { placeIn } from '../../code/run/place.ts';
import { runningPrograms } from '../../code/run/running-programs.ts';
import { typedCommand } from '../../model/typed-command.ts';
import type { ModuleLoader, ModuleToLoad } from '../../modules/load-module.ts';

export interface ExitCodes {
  readonly failed: number;
  readonly usage: number;
  readonly bug: number;
}

/** Exit codes from here on are those of signals. */
const SIGNAL_CODES = 128;

/** `dist`: the folder of the built program. */
export function guardProcess(loader: ModuleLoader, dist: string, codes: ExitCodes): ModuleLoader {
  const loading = new Set<ModuleToLoad>();
  process.on('uncaughtException', (problem: unknown) => {
    const stack = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem);
    const blamed = programsBehind(stack, dist);
    for (const each of blamed) each.crash(problem);
    if (blamed.length > 0) return;
    say(stack);
    process.exit(isOf(stack, dist) ? codes.bug : loading.size > 0 ? codes.usage : codes.failed);
  });
  process.on('beforeExit', () => {
    if (runningPrograms.size > 0) {
      for (const each of runningPrograms) each.crash(waitsForever(each));
      return;
    }
    const files = [...loading].map(({ file }) => file);
    loading.clear();
    for (const file of files)
      say(`error: loading ${file} never ends: its top level waits for something that never happens`);
    if (files.length > 0) process.exit(codes.usage);
  });
  process.on('exit', (code) => {
    if (code >= SIGNAL_CODES || (runningPrograms.size === 0 && loading.size === 0)) return;
    const stack = new Error('exit').stack ?? '';
    for (const each of runningPrograms) say(exited(each, stack));
    if (runningPrograms.size === 0)
      for (const { file } of loading) say(`error: ${file} called process.exit() while it was loaded`);
    process.exitCode = runningPrograms.size === 0 ? codes.usage : codes.failed;
  });
  return {
    async load(asked) {
      loading.add(asked);
      try {
        return await loader.load(asked);
      } finally {
        loading.delete(asked);
      }
    },
  };
}

/** Those whose files are in the stack. An error without any may come from a package that one of them uses. */
function programsBehind(stack: string, dist: string): readonly Execution[] {
  const all = [...runningPrograms];
  const named = all.filter((each) => placeOf(each, stack) !== undefined);
  return named.length > 0 || isOf(stack, dist) ? named : all;
}

function isOf(stack: string, folder: string): boolean {
  return stack.includes(folder);
}

function placeOf({ input: { workspace, sources } }: Execution, stack: string): string | undefined {
  return placeIn(stack, { workspace, files: sources.map(({ file }) => file) });
}

/** G2 */
function waitsForever({ lastCall }: Execution): Mistake {
  const after = lastCall === undefined ? '' : `; its last call was \`${lastCall.key}\``;
  const mistake = new Mistake(`it waits for something that never happens${after}`);
  if (lastCall?.madeAt.stack !== undefined) mistake.stack = lastCall.madeAt.stack;
  return mistake;
}

/** G3. Over the journal nothing runs, so there is nothing to resume. */
function exited(program: Execution, stack: string): string {
  const place = placeOf(program, stack);
  const at = place === undefined ? '' : ` (${place})`;
  const { runId } = program.input;
  const then =
    program.replay === undefined ? `\nhelp: correct it, then ${typedCommand(`resume ${runId}`)}` : '';
  return `error: the program called process.exit()${at}: run ${runId} is interrupted${then}`;
}

function say(text: string): void {
  fs.writeSync(2, `${text}\n`);
}
