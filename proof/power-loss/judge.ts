/**
 * What must hold after a power loss and a resume.
 *
 * P1 A reported result is not lost: its step does not run again.
 * P2 A step that ran without being reported runs at most once more.
 * P3 The end is the same as without the power loss: documents, views, outputs and answers.
 * P4 No process is left.
 */
import fs from 'node:fs';
import path from 'node:path';
import { differences } from '../kill-everywhere/differences.ts';
import { type Essence, essenceOf, essenceWithout } from '../kill-everywhere/essence.ts';
import { expectNobodyLeft, type Undisturbed } from '../kill-everywhere/judge.ts';
import type { Play } from '../kill-everywhere/play.ts';
import { Violation } from '../suite.ts';
import type { TraceLine } from './trace.ts';

/** What was played, and its result. */
interface Played {
  readonly play: Play;
  readonly undisturbed: Undisturbed;
}

/** Before the power loss. */
export interface Known {
  /** Keys of steps whose result was reported. */
  readonly told: ReadonlySet<string>;
  /** Key → how often it was started. */
  readonly begun: ReadonlyMap<string, number>;
}

export function knownAt(lines: readonly TraceLine[], at: number): Known {
  const told = new Set<string>();
  const calls: string[] = [];
  for (const { kind, text = '' } of lines.slice(0, at)) {
    if (kind === 'called') calls.push(...text.split('\n').filter((line) => line !== ''));
    if (kind === 'told') for (const key of endedIn(text)) told.add(key);
  }
  return { told, begun: counted(calls) };
}

export function callsAt(lines: readonly TraceLine[], at: number): string {
  return lines
    .slice(0, at)
    .map(({ kind, text }) => (kind === 'called' ? text : ''))
    .join('');
}

export async function judge(played: Played, folder: string, known: Known): Promise<void> {
  const begun = counted(fs.readFileSync(path.join(folder, '.proof', 'calls'), 'utf8').split('\n'));
  for (const key of known.told) {
    const before = known.begun.get(key) ?? 0;
    if ((begun.get(key) ?? 0) <= before) continue;
    throw new Violation({
      expected: `that \`${key}\`, whose result was reported, does not run again (P1)`,
      found: `${begun.get(key)} calls instead of ${before}`,
    });
  }
  for (const [key, least] of played.undisturbed.begun) {
    const found = begun.get(key) ?? 0;
    if (found >= least && (found <= least + 1 || played.play.mayRepeat?.test(key) === true)) continue;
    throw new Violation({ expected: `${least} or ${least + 1} calls of \`${key}\` (P2)`, found: `${found}` });
  }
  expectSame(played, folder);
  await expectNobodyLeft(folder);
}

function expectSame({ play, undisturbed }: Played, folder: string): void {
  const found = differences(compared(play, undisturbed.essence), compared(play, essenceOf(folder)));
  if (found.length > 0)
    throw new Violation({ expected: 'what an undisturbed run leaves (P3)', found: found.join('\n') });
}

/**
 * Ignored: files that are only for reading or rebuilt when needed, leftovers of a dead process, which the next one removes when
 * it needs the place, and a view that was kept because the record of its writer was lost (V3 of `store/written-files.ts`).
 */
const ASIDE =
  /\.kept-\d+$|\/hook\.log$|\/logs\/|\/cache\/|\.schema\.json$|\.partial$|^\.claude\/.*(?:-history\.jsonl|\.md)$|(?:^|\/)(?:lock|[^/]*\.lock|\.[^/]+\.~[^/]+\.tmp)(?:$|\/)/;
/** An unreported attempt is not counted, though it may have left traces in the world: then the next one succeeds. */
const TRIES = /^(?:attempts|promptFile|responseFile|continued|continued_from|command)$/;
const TRIES_OF_AGENTS = /\/(?:prompts|responses)\//;
/** Plays in which a second attempt succeeds, and one that reads a cache, which may be lost. */
const GOES_BETTER = /^(?:agents|usage-limit)$/;
const CACHED = /^calls-and-cache$/;

function compared(play: Play, essence: Essence): Essence {
  const isAside = (place: string): boolean =>
    ASIDE.test(place) ||
    // A folder may be empty only because its contents are ignored.
    place.endsWith('/') ||
    (GOES_BETTER.test(play.name) && TRIES_OF_AGENTS.test(place)) ||
    (CACHED.test(play.name) && place.startsWith('.orchestrate/')) ||
    play.mayDiffer?.some((one) => one.path.test(place)) === true;
  return essenceWithout(essence, { isAside, members: TRIES });
}

function endedIn(printed: string): readonly string[] {
  return printed.split('\n').flatMap((line) => {
    if (!line.startsWith('{"type":"step-ended"')) return [];
    try {
      return [String(JSON.parse(line).key)];
    } catch {
      return [];
    }
  });
}

function counted(calls: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of calls) {
    const [word, key = ''] = line.split(' ');
    if (word === 'begin') counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
