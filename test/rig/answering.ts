/** The real binary on a terminal, with a user who answers its questions. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { BINARY, type Workspace } from './orchestrate.ts';

export interface Answer {
  /** The end of the question. */
  readonly to: string;
  /** What is typed; `\r` is Enter. */
  readonly type: string;
}

export interface OnTerminal {
  readonly exitCode: number;
  /** Questions, answers and messages, as shown. */
  readonly shown: string;
}

/** Answers each question once, in order. */
export async function onTerminal(
  workspace: Workspace,
  argv: readonly string[],
  answers: readonly Answer[],
): Promise<OnTerminal> {
  const words = [process.execPath, BINARY, ...argv].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const child = spawn('script', ['-qec', `exec ${words.join(' ')}`, '/dev/null'], {
    cwd: workspace.folder,
    env: { ...process.env, HOME: workspace.folder, NO_COLOR: '1', TERM: 'dumb' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const open = [...answers];
  let shown = '';
  let seen = 0;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk;
    for (let [next] = open; next !== undefined; [next] = open) {
      const at = shown.indexOf(next.to, seen);
      if (at === -1) return;
      seen = at + next.to.length;
      child.stdin.write(next.type);
      open.shift();
    }
  });
  const [exitCode] = await once(child, 'close');
  return { exitCode: Number(exitCode), shown: shown.replaceAll('\r', '') };
}
