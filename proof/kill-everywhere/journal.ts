/** A journal, read as docs/files.md describes it: lines of JSON, the last of which may be torn. */
import fs from 'node:fs';
import path from 'node:path';
import { runsIn } from '../site/site.ts';

export interface Line {
  readonly type: string;
  readonly key?: string;
  readonly effect?: string;
  readonly status?: string;
  readonly output?: unknown;
  readonly answer?: unknown;
  readonly repeated?: boolean;
}

export interface Journal {
  readonly runId: string;
  /** The intact lines, as in the file. */
  readonly bytes: string;
  readonly lines: readonly Line[];
}

/** The journals of all runs, oldest first. */
export function readJournals(folder: string): readonly Journal[] {
  return runsIn(folder).map((runId) => {
    const file = path.join(folder, '.orchestrate', 'runs', runId, 'journal.jsonl');
    const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
    return { runId, ...wholeLines(text) };
  });
}

/** Up to the first line that is not intact. */
function wholeLines(text: string): Pick<Journal, 'bytes' | 'lines'> {
  const texts = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  const lines: Line[] = [];
  for (const line of texts.slice(1, -1)) {
    try {
      lines.push(JSON.parse(line));
    } catch {
      break;
    }
  }
  const bytes = texts.slice(0, lines.length + 1).map((line) => `${line}\n`);
  return { bytes: text.includes('\n') ? bytes.join('') : '', lines };
}

export function hasBegun({ lines }: Journal): boolean {
  return lines.some(({ type }) => type === 'run-started');
}

export function hasResult({ lines }: Journal): boolean {
  return lines.some(({ type }) => type === 'step-ended' || type === 'question-asked' || type === 'run-ended');
}

/** Keys of steps that started and neither ended nor wait for their next attempt. */
export function inFlight({ lines }: Journal): ReadonlySet<string> {
  const open = new Set<string>();
  for (const { type, key = '' } of lines) {
    if (type === 'step-started') open.add(key);
    if (type === 'step-ended' || type === 'attempt-ended') open.delete(key);
  }
  return open;
}
