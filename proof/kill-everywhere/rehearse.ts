/** Plays a play undisturbed and records every disk operation, and the state before and after each act. */
import fs from 'node:fs';
import path from 'node:path';
import type { Context } from '../suite.ts';
import type { Act, Play } from './play.ts';
import { copyRelocated } from './relocate.ts';
import { playAct, setStage, type Theatre } from './stage.ts';

export interface Operation {
  readonly name: string;
  readonly kind: string;
  readonly path: string;
  readonly to?: string;
  readonly number: number;
  readonly size?: number;
}

/** `After`: the state after an act, as the suite sees it. */
export interface Scene<After> {
  readonly act: Act;
  /** Where it was rehearsed. */
  readonly folder: string;
  /** Empty if the act is not disturbed. */
  readonly operations: readonly Operation[];
  /** Prepares an empty folder in the state left by the earlier acts. */
  enter(folder: string): void;
  readonly after: After;
}

export interface Rehearsed<After> {
  readonly play: Play;
  readonly scenes: readonly Scene<After>[];
}

export interface Rehearsal<After> {
  readonly plays: readonly Play[];
  look(folder: string): After;
}

/** Several at once. */
export async function rehearseAll<After>(
  context: Context,
  { plays, look }: Rehearsal<After>,
): Promise<readonly Rehearsed<After>[]> {
  const rehearsed = new Map<Play, Rehearsed<After>>();
  const left = plays.values();
  const lane = async (): Promise<void> => {
    for (const play of left) rehearsed.set(play, { play, scenes: await rehearse(context, play, look) });
  };
  await Promise.all(Array.from({ length: context.jobs }, lane));
  return plays.flatMap((play) => rehearsed.get(play) ?? []);
}

async function rehearse<After>(
  context: Context,
  play: Play,
  look: (folder: string) => After,
): Promise<readonly Scene<After>[]> {
  const folder = context.folder();
  const trace = path.join(context.folder(), 'trace');
  const theatre: Theatre = { root: context.root, folder, signal: new AbortController().signal };
  setStage(play, folder);
  const scenes: Scene<After>[] = [];
  for (const act of play.acts) {
    const before = context.folder();
    fs.cpSync(folder, before, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    const isWatched = act.prepares !== true && act.isStage !== true;
    await playAct(theatre, act, isWatched ? { trace } : undefined);
    scenes.push({
      ...{ act, folder },
      operations: takeTrace(trace),
      enter: (to) => copyRelocated(before, { from: folder, to }),
      after: look(folder),
    });
  }
  return scenes;
}

function takeTrace(file: string): readonly Operation[] {
  if (!fs.existsSync(file)) return [];
  const lines = fs.readFileSync(file, 'utf8').split('\n').slice(0, -1);
  fs.rmSync(file);
  return lines.map((line) => JSON.parse(line));
}
