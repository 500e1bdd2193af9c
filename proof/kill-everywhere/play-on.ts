/** What comes after the act that was disturbed, and the verdict. */
import type { Trial } from '../suite.ts';
import type { Scene } from './rehearse.ts';
import { playAct, type Theatre } from './stage.ts';

/** One of so many is played to the end though all is well after the act. */
const TO_THE_END = 8;

type Played<After> = Pick<Scene<After>, 'act' | 'after'>;

export interface Disturbed<After> {
  readonly theatre: Theatre;
  readonly scenes: readonly Played<After>[];
  /** The one that was disturbed. */
  readonly scene: Played<After>;
}

/**
 * What is the same as after the undisturbed act comes to the same end. So the rest is played only by some, and by those that are not the same
 * yet: what a dead process has left may be cleared away by the next one.
 */
export async function playOn<After>(
  trial: Trial,
  { theatre, scenes, scene }: Disturbed<After>,
  judge: (after: After) => Promise<void>,
): Promise<void> {
  const rest = scenes.slice(scenes.indexOf(scene) + 1);
  if (rest.length > 0 && trial.random.fork('to the end').integer(1, TO_THE_END) > 1) {
    const holds = await judge(scene.after).then(
      () => true,
      () => false,
    );
    if (holds) return;
  }
  for (const { act } of rest) await playAct(theatre, act);
  await judge(rest.at(-1)?.after ?? scene.after);
}
