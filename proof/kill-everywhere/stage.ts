/** Plays a play in a folder: its files and commands, one after the other, with a kill if one is ordered. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { type Ended, runProgram } from '../program.ts';
import { type Trial, Violation } from '../suite.ts';
import { hasBegun, readJournals } from './journal.ts';
import type { Act, Play, Stage } from './play.ts';

export interface KillOrder {
  readonly when?: 'before' | 'after' | 'torn';
  readonly name?: string;
  readonly number?: number;
  readonly trace?: string;
}

export interface Theatre {
  readonly root: string;
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** A new theatre for a trial. */
export function theatreOf(trial: Trial): Theatre {
  return { root: trial.root, folder: trial.folder(), signal: trial.signal };
}

export function setStage(play: Play, folder: string): void {
  for (const [name, contents] of Object.entries(play.files)) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, contents, { mode: name.startsWith('.proof/bin/') ? 0o755 : 0o644 });
  }
}

/** Plays an undisturbed act. */
export async function playAct(theatre: Theatre, act: Act, order?: KillOrder): Promise<Ended> {
  if (act.isStage === true) return stageHand(theatre, act);
  const ended = await perform(theatre, act, { argv: act.argv, ...(order === undefined ? {} : { order }) });
  if (ended.signal === null) expectEnd(act, ended, act.argv);
  return ended;
}

/** What a user types after the act was interrupted. */
function wordsAfterKill(act: Act, theatre: Theatre, runsBefore: ReadonlySet<string>): Performance {
  const begun = readJournals(theatre.folder).findLast(
    (journal) => !runsBefore.has(journal.runId) && hasBegun(journal),
  );
  const openRun = begun?.runId;
  const stage: Stage = {
    folder: theatre.folder,
    has: (name) => fs.existsSync(path.join(theatre.folder, name)),
    openRun,
  };
  const resume = openRun === undefined ? undefined : ['resume', openRun, '--quiet'];
  // A run that has ended can be resumed by its id, whichever program it belongs to.
  if (resume !== undefined && begun?.lines.at(-1)?.type === 'run-ended')
    return { argv: resume, program: 'orchestrate' };
  const argv = act.again === undefined ? (resume ?? act.argv) : act.again(stage);
  return { argv, program: act.program ?? 'orchestrate' };
}

/** The runs before an act, by which its own run is recognised. */
export function runsIn(folder: string): ReadonlySet<string> {
  return new Set(readJournals(folder).map(({ runId }) => runId));
}

/** Resumes an interrupted act, as a user does. */
export async function performAgain(
  theatre: Theatre,
  act: Act,
  { runsBefore, order }: { readonly runsBefore: ReadonlySet<string>; readonly order?: KillOrder | undefined },
): Promise<Ended> {
  const words = wordsAfterKill(act, theatre, runsBefore);
  const ended = await perform(theatre, act, { ...words, ...(order === undefined ? {} : { order }) });
  const wasKilled = order !== undefined && ended.signal === 'SIGKILL';
  const mayRefuse = act.mayRefuse === true && ended.exitCode !== null && ended.exitCode !== 70;
  if (!wasKilled && !mayRefuse) expectEnd(act, ended, words.argv);
  return ended;
}

/** Its unsuccessful end is recorded: resuming would be the next act. */
export function isOver(act: Act, theatre: Theatre, runsBefore: ReadonlySet<string>): boolean {
  if ((act.exitCode ?? 0) === 0) return false;
  const run = readJournals(theatre.folder).findLast(
    (journal) => !runsBefore.has(journal.runId) && hasBegun(journal),
  );
  const last = run?.lines.at(-1);
  if (last?.type === 'run-ended' && last.status === 'completed')
    throw new Violation({ expected: `exit code ${act.exitCode}`, found: 'a run that says it is completed' });
  return last?.type === 'run-ended';
}

export interface Performance {
  readonly argv: readonly string[];
  readonly program?: NonNullable<Act['program']>;
  readonly order?: KillOrder;
  readonly env?: Readonly<Record<string, string>>;
}

export function perform(theatre: Theatre, act: Act, given: Performance): Promise<Ended> {
  const { argv, order, env, program = act.program } = given;
  const { root, folder, signal } = theatre;
  return runProgram({
    ...{ root, folder, signal, argv },
    env: { ...environmentOf(theatre, order), ...env },
    ...(program === undefined ? {} : { program }),
    ...(act.stdin === undefined ? {} : { stdin: act.stdin.replaceAll('{folder}', folder) }),
  });
}

export function environmentOf(
  { root, folder }: Theatre,
  order?: KillOrder,
): Readonly<Record<string, string>> {
  const shim = path.join(root, 'proof', 'rig', 'kill-at.cjs');
  const kill = { NODE_OPTIONS: `--require=${shim}`, KILL_AT: JSON.stringify(order) };
  return {
    HOME: folder,
    PATH: `${path.join(folder, '.proof', 'bin')}:${process.env['PATH']}`,
    ...(order === undefined ? {} : kill),
  };
}

export function expectEnd(act: Act, ended: Ended, argv: readonly string[]): void {
  const expected = act.exitCode ?? 0;
  if (ended.exitCode === expected) return;
  throw new Violation({
    expected: `exit code ${expected} of \`${argv.join(' ')}\``,
    found: `${ended.exitCode ?? ended.signal}\n${ended.stdout}${ended.stderr}`,
    where: `act \`${act.name}\``,
  });
}

function stageHand({ folder }: Theatre, act: Act): Ended {
  const [program = '', ...args] = act.argv;
  const { status, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`cannot prepare the stage: ${act.argv.join(' ')}\n${stderr}`);
  return { exitCode: 0, signal: null, stdout: '', stderr };
}
