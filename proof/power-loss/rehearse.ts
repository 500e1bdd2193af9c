/** Plays a play and records every operation: the state of its disk, and what had been reported, at each moment. */
import fs from 'node:fs';
import path from 'node:path';
import { type Undisturbed, undisturbed } from '../kill-everywhere/judge.ts';
import type { Act, Play } from '../kill-everywhere/play.ts';
import { expectEnd, perform, playAct, setStage, type Theatre } from '../kill-everywhere/stage.ts';
import { runsIn } from '../site/site.ts';
import type { Context } from '../suite.ts';
import { Disk } from './disk.ts';
import { readTrace, type TraceLine } from './trace.ts';

export interface Rehearsed {
  readonly play: Play;
  /** Where it was played. */
  readonly folder: string;
  /** Each act, and the state after it. */
  readonly scenes: readonly { readonly act: Act; readonly after: Undisturbed }[];
  readonly disk: Disk;
  readonly lines: readonly TraceLine[];
  readonly moments: readonly Moment[];
}

/** A power loss just before the line `at` of the trace. */
export interface Moment {
  readonly at: number;
  readonly act: number;
  /** The sync of its act that it precedes: the same one each time, unless the act does several things at once. */
  readonly sync: number;
  /** The command has ended, and its end was seen. */
  readonly isOver: boolean;
  /** Ids of runs that existed before the act. */
  readonly runsBefore: ReadonlySet<string>;
}

export async function rehearse(context: Context, play: Play): Promise<Rehearsed> {
  const folder = context.folder();
  const elsewhere = context.folder();
  const theatre: Theatre = { root: context.root, folder, signal: new AbortController().signal };
  setStage(play, folder);
  const disk = new Disk();
  const lines: TraceLine[] = [];
  const moments: Moment[] = [];
  const scenes: { readonly act: Act; readonly after: Undisturbed }[] = [];
  const add = (line: TraceLine): void => {
    disk.apply(line, lines.length);
    lines.push(line);
  };
  for (const line of whatIsNew(disk, folder, 0)) add(line);
  for (const [act, given] of play.acts.entries()) {
    const runsBefore = new Set(runsIn(folder));
    if (given.isStage === true) {
      await playAct(theatre, given);
      for (const line of whatIsNew(disk, folder, lines.length)) add(line);
      scenes.push({ act: given, after: undisturbed(folder) });
      continue;
    }
    const trace = path.join(elsewhere, `${act}`);
    await record(theatre, given, trace);
    let sync = 0;
    for (const line of readTrace(trace)) {
      // The strongest moment is just before a sync: it is not synced yet, and everything before it was reported.
      if (line.kind === 'sync' && given.prepares !== true) {
        sync += 1;
        moments.push({ at: lines.length, act, sync, isOver: false, runsBefore });
      }
      add(line);
    }
    expectAllSeen(disk, folder, lines.length);
    if (given.prepares !== true) moments.push({ at: lines.length, act, sync, isOver: true, runsBefore });
    scenes.push({ act: given, after: undisturbed(folder) });
  }
  return { play, folder, scenes, disk, lines, moments };
}

/** Requests its output as data, if possible. */
async function record(theatre: Theatre, act: Act, trace: string): Promise<void> {
  const argv = act.argv.map((word) =>
    (word === '--quiet' || word === '-q') && tellsEvents(act) ? '--json' : word,
  );
  const env = {
    NODE_OPTIONS: `--require=${path.join(theatre.root, 'proof', 'rig', 'record-disk.cjs')}`,
    RECORD_DISK: JSON.stringify({ folder: theatre.folder, trace }),
  };
  expectEnd(act, await perform(theatre, act, { argv, env }), argv);
}

function tellsEvents({ argv, program }: Act): boolean {
  if (program === 'claude-iterate') return false;
  return /^(?:run|resume|execute|converse (?:run|resume)|phases run)\b/.test(argv.join(' '));
}

/** Changes that the disk model does not know yet. */
function whatIsNew(disk: Disk, folder: string, at: number): readonly TraceLine[] {
  const known = new Map(disk.left(at, EVERYTHING).map((file) => [file.path, file.contents]));
  return filesBelow(folder).flatMap(({ name, bytes, inode }): readonly TraceLine[] => {
    const there = known.get(name);
    if (bytes === undefined) return there === 'folder' ? [] : [{ kind: 'put', path: name, inode }];
    if (Buffer.isBuffer(there) && there.equals(bytes)) return [];
    return [{ kind: 'put', path: name, bytes, inode }];
  });
}

/** An operation that was not recorded would make every verdict worthless. */
function expectAllSeen(disk: Disk, folder: string, at: number): void {
  const there = new Set(filesBelow(folder).map(({ name }) => name));
  const missed = [
    ...whatIsNew(disk, folder, at).map((line) => line.path),
    ...disk
      .left(at, EVERYTHING)
      .flatMap((file) =>
        there.has(file.path) || (typeof file.contents === 'object' && 'link' in file.contents)
          ? []
          : [file.path],
      ),
  ];
  if (missed.length > 0) throw new Error(`changes were not recorded: ${missed.join(', ')}`);
}

const EVERYTHING = { names: () => true, contents: (_synced: Buffer, written: Buffer) => written };

function filesBelow(
  folder: string,
  below = '',
): readonly { readonly name: string; readonly bytes: Buffer | undefined; readonly inode: number }[] {
  return fs.readdirSync(path.join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (name === '.proof' || entry.isSymbolicLink()) return [];
    const whole = path.join(folder, name);
    const inode = fs.lstatSync(whole).ino;
    if (entry.isDirectory()) return [{ name, bytes: undefined, inode }, ...filesBelow(folder, name)];
    return [{ name, bytes: fs.readFileSync(whole), inode }];
  });
}
