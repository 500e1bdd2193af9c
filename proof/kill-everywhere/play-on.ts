/** Plays the rest after the disturbed act, and judges the result. */
import type { Trial } from '../suite.ts';
import type { Scene } from './rehearse.ts';
import { playAct, type Theatre } from './stage.ts';

/** One of this many is played to the end although the state after the act is right. */
const TO_THE_END = 8;

type Played<After> = Pick<Scene<After>, 'act' | 'after'>;

export interface Disturbed<After> {
  readonly theatre: Theatre;
  readonly scenes: readonly Played<After>[];
  /** The disturbed act. */
  readonly scene: Played<After>;
  /** The disturbed act warned that the next run asks whether to trust what it added. The user answers then. */
  readonly isAskedLater?: boolean;
}

/**
 * A state equal to that after the undisturbed act leads to the same end. So the rest is played only for some, and for those that still
 * differ: the next process may remove leftovers of a dead one.
 */
export async function playOn<After>(
  trial: Trial,
  { theatre, scenes, scene, isAskedLater }: Disturbed<After>,
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
  for (const { act } of rest) {
    if (isAskedLater === true && act.mayAsk === true)
      await playAct(theatre, { ...act, argv: [...act.argv, '--trust'] });
    else await playAct(theatre, act);
  }
  await judge(rest.at(-1)?.after ?? scene.after);
}
