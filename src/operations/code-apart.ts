/**
 * Code of the user never runs in a process that others depend on, such as that of the page or the keeper, and no large file is read there at
 * once. An operation that has to load code is done by a process of its own: an endless loop, a `process.exit` or a crash in a user's file ends that
 * process only, and is a problem with words. So is one that reads a large journal: meanwhile, others are answered.
 */
import type { JsonObject } from '../model/json.ts';
import { error, type Result } from '../model/result.ts';
import { unreachable } from '../model/unreachable.ts';
import type { ModuleLoader } from '../modules/load-module.ts';
import type { Problem } from './problem.ts';
import type { Site } from './site.ts';

/** The operations that load code, by their names. */
export type CodeOperation = 'start-file' | 'resume-run' | 'fork-run' | 'file-inputs' | 'schedules-of';

export interface CodeCall {
  readonly operation: CodeOperation;
  /** Its input, as JSON. */
  readonly asked: JsonObject;
}

/** An operation that may be done in a process of its own. */
export interface CallApart extends CodeCall {
  /** A large file that it reads whole, relative to the workspace. */
  readonly reads?: string | undefined;
}

/** Does each operation in a process of its own. */
export interface CodeProcesses {
  do(call: CodeCall): Promise<CodeAnswer>;
  /** Stops those that run. */
  close(): void;
}

export type CodeAnswer =
  /** The result of the operation. */
  | { readonly type: 'answered'; readonly result: Result<unknown, Problem> }
  | { readonly type: 'timed-out'; readonly afterMs: number }
  /** The process ended without an answer. `said`: its error, or its last line on standard error. */
  | { readonly type: 'ended'; readonly exitCode: number; readonly signal?: string; readonly said?: string }
  /** The answer will be there when the same is asked again. */
  | { readonly type: 'pending' };

/** Does an operation here, unless it has to load code of the user, or to read a large file, that must not stop this process. */
export async function withCodeApart<Value>(
  site: Site,
  { reads, ...call }: CallApart,
  here: (site: Site) => Promise<Result<Value, Problem>>,
): Promise<Result<Value, Problem>> {
  const { codeProcesses } = site;
  if (codeProcesses === undefined) return here(site);
  if (reads !== undefined) {
    const read = await codeProcesses.do(call);
    if (read.type === 'answered') return read.result as Result<Value, Problem>;
    if (read.type === 'pending') return error({ type: 'code-is-being-loaded', file: reads });
    // What is wrong is found here.
  }
  const files: string[] = [];
  const done = await here({ ...site, modules: onlyNoting(files) });
  const [file] = files;
  if (file === undefined) return done;
  const answer = await codeProcesses.do(call);
  switch (answer.type) {
    case 'answered':
      return answer.result as Result<Value, Problem>;
    case 'timed-out':
      return error({ type: 'code-takes-too-long', file, seconds: Math.round(answer.afterMs / 1000) });
    case 'ended': {
      const { type: _, ...how } = answer;
      return error({ type: 'code-ended-its-process', file, ...how });
    }
    case 'pending':
      return error({ type: 'code-is-being-loaded', file });
    default:
      return unreachable(answer);
  }
}

/** What follows is not used: the operation is done again, elsewhere. */
function onlyNoting(files: string[]): ModuleLoader {
  return {
    load: async ({ file }) => {
      files.push(file);
      return error([]);
    },
  };
}
