/** What the program and its spawn helper say to each other: one JSON value a line. */
import type { Exit } from './exit.ts';

export type ToHelper =
  /** Once: the environment that later requests differ from only a little. */
  | { readonly type: 'environment'; readonly env: { readonly [name: string]: string } }
  | {
      readonly type: 'start';
      readonly id: number;
      readonly argv: readonly string[];
      readonly cwd: string;
      readonly set: { readonly [name: string]: string };
      readonly unset: readonly string[];
      readonly stdin: string;
      readonly stdout: string;
      readonly stderr: string;
    };

export type StartMessage = Extract<ToHelper, { type: 'start' }>;

export type FromHelper =
  | { readonly type: 'ready' }
  /** Said before it is done: who hears no more than this cannot know whether it was. */
  | { readonly type: 'starting'; readonly id: number }
  | { readonly type: 'started'; readonly id: number; readonly pid: number; readonly startTime: string }
  /** `path`: one of the three files; absent: the program itself. */
  | { readonly type: 'refused'; readonly id: number; readonly code: string; readonly path?: string }
  | { readonly type: 'exited'; readonly id: number; readonly exit: Exit };

/** Calls `take` with every whole line; a line may come in any number of pieces. */
export function readLines(take: (line: string) => void): (chunk: string) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  };
}
