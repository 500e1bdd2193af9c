/**
 * Reads every possible disk with the product's readers alone; the real program is tried on a selection of these.
 *
 * E1 Every journal can be read, and every reported result is in one.
 * E2 Every document is intact: as before a change or after it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { must, shortened } from '../must.ts';
import type { Read, Readers } from '../rig/readers.ts';
import type { Trial } from '../suite.ts';
import type { FileLeft } from './disk.ts';
import { knownAt } from './judge.ts';
import { lossesAt } from './losses.ts';
import type { Moment, Rehearsed } from './rehearse.ts';

/** A folder whose name starts with a dot is not a run yet: it gets its name once its journal can be read. */
const JOURNAL = /^\.orchestrate\/runs\/[^/.][^/]*\/journal\.jsonl$/;
/** Documents that are the truth, with their readers; JSON if the product has no separate reader. */
const DOCUMENTS: readonly { readonly name: RegExp; readonly reader?: keyof Readers }[] = [
  { name: /^\.claude\/state\/workflow\.json$/, reader: 'phases' },
  { name: /^claude-iterate\/workspaces\/[^/]+\/\.metadata\.json$/, reader: 'metadata' },
  { name: /^talk\/state\/mine\.json$/, reader: 'conversation' },
  { name: /^talk\/state\/tool_results\.json$/ },
  { name: /^\.workflow\/[^/]+\/(?:workflow-session|\.task\/[^/.][^/]*)\.json$/ },
];

export async function expectEveryDiskRead(
  trial: Trial,
  rehearsed: Rehearsed,
  readers: Readers,
): Promise<void> {
  const read = createReading(trial.folder(), readers);
  for (const moment of rehearsed.moments) {
    for (const loss of lossesAt(rehearsed.disk, moment.at)) {
      const survival = loss.survival(rehearsed.disk, moment.at, trial.random.fork(`${moment.at}/${loss.id}`));
      expectRead(rehearsed.disk.left(moment.at, survival), { rehearsed, moment, read, loss: loss.id });
      trial.count('possible disks, read');
    }
    // Let other work run.
    await new Promise((resolve) => setImmediate(resolve));
    if (trial.signal.aborted) return;
  }
}

interface Looking {
  readonly rehearsed: Rehearsed;
  readonly moment: Moment;
  readonly loss: string;
  readonly read: (file: FileLeft, reader: keyof Readers | undefined) => Read;
}

function expectRead(left: readonly FileLeft[], { rehearsed, moment, loss, read }: Looking): void {
  const ended = new Set<string>();
  for (const file of left) {
    const document = DOCUMENTS.find(({ name }) => name.test(file.path));
    if (document === undefined && !JOURNAL.test(file.path)) continue;
    const result = read(file, document === undefined ? 'journal' : document.reader);
    must(result.type === 'ok', () => ({
      expected: document === undefined ? 'a journal that can be read (E1)' : 'an intact document (E2)',
      found: shortened(JSON.stringify(result)),
      where: `${file.path}, before line ${moment.at}, ${loss}`,
    }));
    if (document === undefined && result.type === 'ok')
      for (const key of endedIn(result.value)) ended.add(key);
  }
  const lost = [...knownAt(rehearsed.lines, moment.at).told].filter((key) => !ended.has(key));
  must(lost.length === 0, () => ({
    expected: 'that reported results are in the journal (E1)',
    found: `no record of \`${lost.join('`, `')}\``,
    where: `before line ${moment.at}, ${loss}`,
  }));
}

function endedIn(value: unknown): readonly string[] {
  const { events } = value as {
    readonly events: readonly { readonly type: string; readonly key?: string }[];
  };
  return events.flatMap(({ type, key }) => (type === 'step-ended' && key !== undefined ? [key] : []));
}

/** The same bytes are read once. */
function createReading(folder: string, readers: Readers): Looking['read'] {
  const known = new Map<string, Read>();
  return ({ path: name, contents }, reader) => {
    const bytes = Buffer.isBuffer(contents) ? contents : Buffer.alloc(0);
    const what = `${name}\0${bytes.toString('latin1')}`;
    const before = known.get(what);
    if (before !== undefined) return before;
    const file = path.join(folder, path.basename(name));
    fs.writeFileSync(file, bytes);
    const result = reader === undefined ? readJson(bytes) : readers[reader](file);
    known.set(what, result);
    return result;
  };
}

function readJson(bytes: Buffer): Read {
  try {
    return { type: 'ok', value: JSON.parse(bytes.toString('utf8')) };
  } catch (problem) {
    return { type: 'error', error: String(problem) };
  }
}
