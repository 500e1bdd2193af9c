/**
 * What must hold for a play that was killed and resumed.
 *
 * K1 Nothing recorded is lost or changed: the intact lines of each journal at the kill are the start of that journal at the end.
 * K2 Nothing completed runs again: for each step, the number of started commands and agents is that of an undisturbed play, plus one for
 *    each kill during it.
 * K3 Nothing runs without a recorded start, and never two calls of one step at once.
 * K4 The end is the same as without a kill: documents, views, outputs, answers; and nothing else is there, no temporary file,
 *    no lock.
 * K5 No process is left.
 * K6 Nothing is reported before it is recorded: every end in the log is in the journal.
 */
import fs from 'node:fs';
import path from 'node:path';
import { processesIn } from '../program.ts';
import { Violation } from '../suite.ts';
import { differences } from './differences.ts';
import { type Essence, essenceOf } from './essence.ts';
import { inFlight, type Journal, readJournals } from './journal.ts';
import type { Play } from './play.ts';

export interface Undisturbed {
  readonly essence: Essence;
  readonly begun: ReadonlyMap<string, number>;
}

export interface AtKill {
  readonly journals: readonly Journal[];
  readonly inFlight: ReadonlySet<string>;
}

export function undisturbed(folder: string): Undisturbed {
  return { essence: essenceOf(folder), begun: countCalls(folder, 'begin') };
}

export function lookAtKill(folder: string): AtKill {
  const journals = readJournals(folder);
  const open = new Set(journals.flatMap((journal) => [...inFlight(journal)]));
  const known = new Set(
    journals.flatMap(({ lines }) =>
      lines.filter(({ type }) => type === 'step-started').map(({ key }) => key ?? ''),
    ),
  );
  for (const journal of journals) expectRecorded(folder, journal);
  for (const key of countCalls(folder, 'begin').keys()) {
    if (known.has(key)) continue;
    throw new Violation({
      expected: 'that everything that runs has a recorded start (K3)',
      found: `a call of \`${key}\` without a recorded start`,
    });
  }
  return { journals, inFlight: open };
}

export async function judge(play: Play, folder: string, expected: Undisturbed, kills: readonly AtKill[]) {
  for (const kill of kills) expectKept(folder, kill);
  expectNotRepeated(play, folder, expected, kills);
  expectSame(play, folder, expected);
  await expectNobodyLeft(folder);
}

/** K6 */
function expectRecorded(folder: string, { runId, lines }: Journal): void {
  const log = path.join(folder, '.orchestrate', 'runs', runId, 'logs', 'orchestrator.log');
  const told = fs.existsSync(log) ? fs.readFileSync(log, 'utf8').split('\n') : [];
  const expectAtMost = (types: readonly string[], pattern: RegExp): void => {
    const recorded = lines.filter((line) => types.includes(line.type)).length;
    const said = told.filter((line) => pattern.test(line)).length;
    if (said <= recorded) return;
    throw new Violation({
      expected: `that at most the ${recorded} recorded ends (\`${types.join('`, `')}\`) are reported (K6)`,
      found: `${said}`,
      where: log,
    });
  };
  expectAtMost(['step-ended', 'question-answered'], /^\S+ ✓ /);
  expectAtMost(['run-ended'], /^\S+ ● the run is /);
}

/** K1 */
function expectKept(folder: string, kill: AtKill): void {
  const now = new Map(readJournals(folder).map((journal) => [journal.runId, journal.bytes]));
  for (const { runId, bytes } of kill.journals) {
    if ((now.get(runId) ?? '').startsWith(bytes)) continue;
    throw new Violation({
      expected: 'that the journal starts with its contents at the kill (K1)',
      found: now.has(runId) ? 'other lines' : 'no such run',
      where: `.orchestrate/runs/${runId}/journal.jsonl`,
    });
  }
}

/** K2, K3 */
function expectNotRepeated(
  play: Play,
  folder: string,
  expected: Undisturbed,
  kills: readonly AtKill[],
): void {
  const begun = countCalls(folder, 'begin');
  for (const key of new Set([...begun.keys(), ...expected.begun.keys()])) {
    const least = expected.begun.get(key) ?? 0;
    const most = least + kills.filter((kill) => kill.inFlight.has(key)).length;
    const found = begun.get(key) ?? 0;
    if (found >= least && (found <= most || play.mayRepeat?.test(key) === true)) continue;
    throw new Violation({
      expected: `${least === most ? least : `${least} to ${most}`} calls of \`${key}\` (K2)`,
      found: `${found}`,
      where: '.proof/calls',
    });
  }
  const overlaps = [...countCalls(folder, 'overlap').keys()];
  if (overlaps.length > 0)
    throw new Violation({
      expected: 'one call of a step at a time (K3)',
      found: `two of \`${overlaps[0]}\``,
      where: '.proof/calls',
    });
}

/** K4 */
function expectSame(play: Play, folder: string, expected: Undisturbed): void {
  const mayDiffer = (place: string): boolean => play.mayDiffer?.some(({ path }) => path.test(place)) === true;
  const compared = (essence: Essence): Essence =>
    Object.fromEntries(Object.entries(essence).filter(([place]) => !mayDiffer(place)));
  const found = differences(compared(expected.essence), compared(essenceOf(folder)));
  if (found.length === 0) return;
  throw new Violation({
    expected: 'what an undisturbed run leaves (K4)',
    found: found.join('\n'),
  });
}

/** K5. A process that was just told to end may take a moment. */
export async function expectNobodyLeft(folder: string): Promise<void> {
  for (let patience = 100; ; patience -= 1) {
    const left = processesIn(folder);
    if (left.length === 0) return;
    if (patience === 0)
      throw new Violation({ expected: 'no process of it (K5)', found: left.map(commandOf).join('\n') });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function commandOf(pid: number): string {
  try {
    return `${pid} ${fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`;
  } catch {
    return `${pid}, ended meanwhile`;
  }
}

/** Key of a step → number of lines of this kind that its calls have written. */
function countCalls(folder: string, word: 'begin' | 'overlap'): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of fs.readFileSync(path.join(folder, '.proof', 'calls'), 'utf8').split('\n')) {
    const [kind, key = ''] = line.split(' ');
    if (kind === word) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
