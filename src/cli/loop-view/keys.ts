export interface Keys {
  /** `s`. */
  onStop(): void;
  /** Ctrl+Z: called before the program is suspended and when it continues. */
  onSuspend(): void;
  onContinue(): void;
}

/** Reads keys from the terminal: `s` stops the loop. In raw mode, Ctrl+C and Ctrl+Z arrive as characters too. */
export function listenForKeys({ onStop, onSuspend, onContinue }: Keys): () => void {
  const { stdin } = process;
  if (stdin.isTTY !== true || process.stdout.isTTY !== true) return () => {};
  const listener = (keys: Buffer): void => {
    for (const key of keys.toString()) {
      if (key === 's' || key === 'S') onStop();
      else if (key === '\u0003') process.kill(process.pid, 'SIGINT');
      else if (key === '\u001a') suspend();
    }
  };
  const suspend = (): void => {
    onSuspend();
    stdin.setRawMode(false);
    process.once('SIGCONT', () => {
      stdin.setRawMode(true);
      onContinue();
    });
    process.kill(process.pid, 'SIGTSTP');
  };
  const restore = (): void => {
    stdin.setRawMode(false);
  };
  stdin.setRawMode(true);
  process.once('exit', restore);
  stdin.on('data', listener);
  stdin.resume();
  return () => {
    process.removeListener('exit', restore);
    stdin.off('data', listener);
    stdin.pause();
    restore();
  };
}
