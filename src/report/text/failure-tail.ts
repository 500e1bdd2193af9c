import { lastLines } from './printable.ts';

/** The end of the output that explains a failure. */
export interface FailureTail {
  readonly stream: 'stderr' | 'stdout';
  readonly lines: readonly string[];
}

/**
 * The end of stderr, or of stdout if a command printed nothing else: tsc, eslint, pytest and git merge report errors there. The stdout of an
 * agent is its stream of events and explains nothing.
 */
export function failureTail(
  failed: {
    readonly type: string;
    readonly stderr?: string | undefined;
    readonly stdout?: string | undefined;
  },
  most: number,
): FailureTail {
  const stderr = lastLines(failed.stderr ?? '', most);
  if (stderr.some((line) => line.trim() !== '') || failed.type === 'agent')
    return { stream: 'stderr', lines: stderr };
  return { stream: 'stdout', lines: lastLines(failed.stdout ?? '', most) };
}
