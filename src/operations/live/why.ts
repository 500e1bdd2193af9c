/** Why each step ran, waited, was retried or was skipped: `explain`, read in slices so that a server stays responsive. */
import { Explainer, type Explanation } from '../../engine/explain.ts';
import { JournalTail } from '../../store/journal-tail.ts';
import type { LiveRun } from './live-run.ts';

export type { Explanation } from '../../engine/explain.ts';

/** For a damaged run: up to the damage. */
export async function explainLive({ paths }: LiveRun): Promise<readonly Explanation[]> {
  const explainer = new Explainer();
  await new JournalTail(paths.journal).read((event) => explainer.take(event));
  return explainer.explanations();
}
