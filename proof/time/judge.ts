/** What must be true of all times. */
import { must, shortened } from '../must.ts';
import { type JournalRecord, readJournal } from '../site/journal.ts';
import type { Site } from '../site/site.ts';
import type { Clock } from './clock.ts';

const NEGATIVE = /(?:^|[\s(|])-\d+(?:\.\d+)?\s?(?:ms|s|m|h|d|min|sec)\b|NaN|Invalid Date/m;
const LENGTH =
  /(?:durationMs|duration_ms|duration|waitDurationMs|wait_duration|wait_duration_ms|elapsed\w*)$/;

export function journalsOf(site: Site): readonly JournalRecord[] {
  return site.runs().flatMap((run) => readJournal(site.path('.orchestrate/runs', run, 'journal.jsonl')));
}

/** No duration is negative: in the journal, in the state, in the output. */
export async function mustKeepTime(site: Site, clock: Clock): Promise<void> {
  for (const record of journalsOf(site)) mustHaveLengths(record, `journal, record ${record.seq}`);
  for (const run of site.runs()) {
    const name = `.orchestrate/runs/${run}/state.json`;
    if (site.has(name)) mustHaveLengths(JSON.parse(site.read(name)), name);
  }
  for (const argv of [['runs'], ['show', 'last'], ['report', 'last'], ['explain', 'last']]) {
    const { exitCode, stdout, stderr } = await clock.run(argv);
    const found = NEGATIVE.exec(`${stdout}${stderr}`);
    must(exitCode === 0 && found === null, () => ({
      expected: `no negative time from \`orchestrate ${argv.join(' ')}\``,
      found: shortened(`${exitCode}: ${stdout}${stderr}`),
    }));
  }
}

function mustHaveLengths(value: unknown, where: string): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const isBad = LENGTH.test(key) && typeof member === 'number' && !(member >= 0);
    must(!isBad, () => ({ expected: `no negative \`${key}\``, found: String(member), where }));
    mustHaveLengths(member, where);
  }
}
