/**
 * The moments at which the run is killed, from one undisturbed run whose calls of git and disk operations are recorded in order.
 *
 * M1 Between two changes of what the program or the user reads, the result of a kill is the same. Every such stretch is killed once, at a
 *    moment chosen by the seed. Unread are logs, files without their final name, objects and scratch indexes that nothing refers to yet,
 *    files outside the workspace, and syncs. Waiting for the turn leaves the same at each attempt and counts once.
 * M2 Every call of git that writes is also killed within itself, before a system call that writes, chosen by the seed (this needs strace);
 *    except `update-ref`: it locks files of the user's own branch for a moment, and git cannot tell a lock of a killed git from one that is in
 *    use, nor can anyone else. Then the run fails and says so.
 * M3 Writes to the journal and to the record of a merge are also killed half done.
 * M4 Of the calls that write only objects and scratch indexes, and of the writes to the journal, each leaves the same kind of remains: of each
 *    kind a third is killed within or half done, chosen by the seed.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Operation } from '../kill-everywhere/rehearse.ts';
import type { Random } from '../random.ts';
import { mustEnd, type Site } from '../site/site.ts';
import { ENVIRONMENT, killAt, run } from './play.ts';
import { type GitCall, type How, recordingGit } from './stand-in.ts';

export type Moment =
  | {
      readonly type: 'git';
      readonly how: How;
      readonly call: GitCall;
      /** For `within`: the system call of git that is not made. */
      readonly at?: number;
    }
  | {
      readonly type: 'disk';
      readonly when: 'before' | 'after' | 'torn';
      readonly name: string;
      readonly number: number;
    };

type Entry = { readonly call: GitCall } | { readonly operation: Operation };

/** These change nothing. */
const READS = new Set([
  'rev-parse',
  'merge-base',
  'diff-tree',
  'diff',
  'log',
  'var',
  'cat-file',
  'ls-files',
  'status',
]);
/** What these change is seen. The others write objects and scratch indexes. */
const SEEN = new Set(['update-ref', 'worktree', 'update-index', 'checkout-index']);
/** M4 */
const ALIKE_DIVISOR = 3;
const UNREAD = /\/logs\/[^/]+$|\/\.[^/]+\.~[^/]+\.tmp$|\.scratch[./]/;
const TURN = /orchestrate-worktrees\.lock/;
const TORN = /\/journal\.jsonl$|\/merges\/[^/]+$/;

/** Runs it once. */
export async function rehearse(site: Site, root: string): Promise<readonly Entry[]> {
  const trace = site.path('.home', 'trace');
  site.write({ '.bin/git': recordingGit(trace) });
  const env = { ...ENVIRONMENT(site), ...killAt(root, { trace }) };
  mustEnd(await site.run(run('run', 'w.yaml'), { env }), 0, ['run']);
  const lines = fs
    .readFileSync(trace, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  const wrote = new Map(lines.filter(({ wrote }) => wrote !== undefined).map(({ by, wrote }) => [by, wrote]));
  const numbers = new Map<string, number>();
  return lines.flatMap((found): readonly Entry[] => {
    if (found.wrote !== undefined) return [];
    if (typeof found.git !== 'string') return [{ operation: found }];
    const number = (numbers.get(found.git) ?? 0) + 1;
    numbers.set(found.git, number);
    return [{ call: { subcommand: found.git, number, writes: wrote.get(found.by) ?? 0 } }];
  });
}

export function momentsOf(entries: readonly Entry[], workspace: string, random: Random): readonly Moment[] {
  const stretches: Moment[][] = [[]];
  const others: Moment[] = [];
  const alike = new Map<string, Moment[]>();
  const addAlike = (kind: string, moment: Moment): void =>
    void alike.set(kind, [...(alike.get(kind) ?? []), moment]);
  // Items end in another order each time, and then a number is that of another call: half of the kills suit all calls of a subcommand.
  const calls = entries.flatMap((entry) => ('call' in entry && entry.call.writes > 0 ? [entry.call] : []));
  const leastOf = ({ subcommand }: GitCall): number =>
    Math.min(...calls.filter((call) => call.subcommand === subcommand).map(({ writes }) => writes));
  let isWaiting = false;
  const add = (moment: Moment): void => void stretches.at(-1)?.push(moment);
  for (const entry of entries) {
    if ('call' in entry) {
      const { call } = entry;
      add({ type: 'git', how: 'before', call });
      const at = call.writes === 0 ? 0 : random.integer(1, random.pick([call.writes, leastOf(call)]));
      const within: Moment = { type: 'git', how: 'within', call, at };
      if (SEEN.has(call.subcommand)) {
        if (call.subcommand !== 'update-ref' && at > 0) others.push(within);
        stretches.push([]);
      } else if (!READS.has(call.subcommand) && at > 0) addAlike(call.subcommand, within);
      add({ type: 'git', how: 'after', call });
      continue;
    }
    const { name, number, kind, path: file, size = 0 } = entry.operation;
    if (!file.startsWith(`${workspace}${path.sep}`)) continue;
    const isTurn = TURN.test(file);
    if (isTurn && isWaiting && kind !== 'link' && kind !== 'unlink') continue;
    isWaiting = isTurn;
    const at = (when: 'before' | 'after' | 'torn'): Moment => ({ type: 'disk', when, name, number });
    add(at('before'));
    if (kind === 'write' && size > 1 && TORN.test(file))
      addAlike(path.basename(file) === 'journal.jsonl' ? 'journal' : file, at('torn'));
    const isUnread = kind === 'sync' || UNREAD.test(file) || (isTurn && /\.tmp$/.test(file));
    if (!isUnread) stretches.push([]);
    add(at('after'));
  }
  return [
    ...stretches.filter((each) => each.length > 0).map((each) => random.pick(each)),
    ...others,
    ...[...alike.values()].flatMap((each) => random.sample(each, Math.ceil(each.length / ALIKE_DIVISOR))),
  ];
}

/** Power is cut around every call of git that changes a ref or a worktree, and before every sync of the workspace, the index or the record. */
export function lossesOf(entries: readonly Entry[]): readonly Moment[] {
  return entries.flatMap((entry): readonly Moment[] => {
    if (!('call' in entry) || !SEEN.has(entry.call.subcommand)) return [];
    const { call } = entry;
    return [
      { type: 'git', how: 'before', call },
      { type: 'git', how: 'after', call },
    ];
  });
}

export function idOf(moment: Moment): string {
  return moment.type === 'git'
    ? `git/${moment.how}/${moment.call.subcommand}/${moment.call.number}`
    : `disk/${moment.when}/${moment.name}/${moment.number}`;
}
