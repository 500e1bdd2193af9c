/** A run of so many steps that carrying it out would take minutes: its journal is made from that of a small one. */
import fs from 'node:fs';
import path from 'node:path';
import type { JournalEvent } from '../../src/model/event.ts';
import { encodeRecord, HEADER } from '../../src/store/journal-format.ts';

export const TWO_STEPS =
  'name: two\nsteps:\n  - { name: Good, command: [echo, a] }\n  - { name: Bad, command: [bash, -c, "exit 1"], allow_failure: true }\n';

/** Repeats the first step of a run of `TWO_STEPS`, with its second one, which failed, among them. */
export function repeatSteps(
  folder: string,
  { steps, failed }: { readonly steps: number; readonly failed: number },
): void {
  const journal = path.join(folder, 'journal.jsonl');
  const events: (JournalEvent & { readonly key?: string })[] = fs
    .readFileSync(journal, 'utf8')
    .split('\n')
    .slice(1, -1)
    .map((line) => JSON.parse(line));
  const of = (key: string) => events.filter((event) => event.key === key);
  const [good, bad] = [of('Good'), of('Bad')];
  const lines = [HEADER.toString('utf8')];
  let seq = 0;
  const add = (event: object): void => {
    const { seq: _seq, synced: _synced, crc: _crc, ...plain } = event as { [field: string]: unknown };
    seq += 1;
    lines.push(encodeRecord(plain as unknown as JournalEvent, seq, seq - 1));
  };
  const first = events.findIndex(({ key }) => key === 'Good');
  const last = events.findLastIndex(({ key }) => key === 'Bad');
  for (const event of events.slice(0, first)) add(event);
  for (let step = 0; step < steps; step += 1) {
    const key = `Step${String(step).padStart(6, '0')}`;
    for (const event of step === failed ? bad : good) add({ ...event, key });
  }
  for (const event of events.slice(last + 1)) add(event);
  fs.writeFileSync(journal, lines.join(''));
  // The view is of the journal as it was.
  fs.rmSync(path.join(folder, 'state.json'));
}
