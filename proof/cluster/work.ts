/** A workflow whose steps go to workers, many at once, and what must hold at its end. */
import { must, mustEqual } from '../must.ts';
import { type JournalRecord, readJournal } from '../site/journal.ts';
import { SAYS_STARTED, type Team } from './team.ts';

export interface Work {
  readonly items: number;
  readonly atOnce: number;
  readonly seconds: number;
}

/** What its steps do besides saying that they have started. */
interface Doing {
  /** Where they say it: a folder. */
  readonly outside?: string;
  /** `$1` is the item. */
  readonly item?: string;
  readonly last?: string;
}

export function workFile(
  { items, atOnce, seconds }: Work,
  { outside = '.', item = 'echo "$1" >> done', last = ':' }: Doing = {},
): string {
  const says = SAYS_STARTED.replace('>> started', `>> ${outside}/started`);
  return `name: work
steps:
  - name: List
    command: [seq, '${items}']
    output_capture: lines
  - name: Each
    for_each:
      items_from: steps.List.lines
      as: item
      max_parallel: ${atOnce}
      steps:
        - name: Do
          command: [sh, -c, '${says}; sleep ${seconds}; ${item}', sh, "\${item}"]
  - name: Last
    command: [sh, -c, '${says}; ${last}', sh, last]
`;
}

/** Every item is done and recorded once, `Last` ran after them, and the run's folder has the same journal as the database. */
export async function mustBeDoneOnce(team: Team, runId: string, work: Work): Promise<void> {
  const records = await mustBeRecordedOnce(team, runId, work);
  const done = new Set(team.site.lines('done'));
  mustEqual(done.size, work.items, 'items that are done');
  const file = readJournal(team.site.path('.orchestrate', 'runs', runId, 'journal.jsonl'));
  mustEqual(
    file.map(({ seq, type, key }) => [seq, type, key]),
    records.map(({ seq, type, key }) => [seq, type, key]),
    'journal in the run folder',
  );
}

/** The run is completed, the rows are without gaps, and each step is recorded once. Returns the records. */
export async function mustBeRecordedOnce(
  team: Team,
  runId: string,
  { items }: Work,
): Promise<readonly JournalRecord[]> {
  mustEqual(await team.end(runId), 'completed', 'status of the run');
  const lines = await team.rows(
    `select seq, line from orchestrate.events where run_id = '${runId}' order by seq`,
  );
  const records = lines.map(({ line }) => JSON.parse(String(line)) as JournalRecord);
  mustEqual(
    lines.map(({ seq }) => seq),
    lines.map((_, index) => index + 1),
    'numbers of the rows',
  );
  const ends = records.filter(({ type }) => type === 'step-ended').map(({ key = '' }) => key);
  const expected = ['List', ...Array.from({ length: items }, (_, index) => `Each/${index}/Do`), 'Last'];
  mustEqual(ends.filter((key) => expected.includes(key)).sort(), [...expected].sort(), 'recorded steps');
  mustEqual(team.started.at(-1)?.item, 'last', 'the last step that started');
  const shown = await team.site.ok(['show', runId, '--json']);
  mustEqual(JSON.parse(shown.stdout).status, 'completed', 'status that `show` prints');
  return records;
}

/** A step starts again only if its worker was killed or given up. */
export function mustStartAgainOnlyAfter(team: Team, lost: ReadonlySet<string>): void {
  const byItem = new Map<string, string[]>();
  for (const { item, worker } of team.started) byItem.set(item, [...(byItem.get(item) ?? []), worker]);
  for (const [item, workers] of byItem)
    for (const worker of workers.slice(0, -1))
      must(lost.has(worker), () => ({
        expected: 'that an item starts again only after its worker was lost',
        found: `item ${item} started on ${workers.join(', ')}; lost: ${[...lost].join(', ')}`,
      }));
}

/** Steps whose worker lives start exactly once. */
export function mustStartOnce(team: Team): void {
  mustStartAgainOnlyAfter(team, new Set());
}
