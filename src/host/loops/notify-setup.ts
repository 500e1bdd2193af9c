import { openLoop } from '../../operations/loops/site/find-loop.ts';
import type { OfLoop } from '../../operations/loops/site/loops.ts';
import type { Site } from '../../operations/site.ts';
import { loopNotifier } from './loop-notifier.ts';

/** Notifies that the instructions are ready. */
export async function notifySetup(
  site: Site,
  loop: OfLoop,
  onProblem: (problem: string) => void,
): Promise<void> {
  const opened = openLoop(site, loop);
  if (opened.type === 'error') return;
  const notifier = loopNotifier(site, opened.value.workspace, onProblem);
  if (notifier.type === 'error') onProblem(notifier.error);
  else {
    notifier.value?.send({ type: 'setup_complete' });
    await notifier.value?.drain();
  }
}
