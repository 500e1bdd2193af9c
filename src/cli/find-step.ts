import type { JournalEvent } from '../model/event.ts';
import { ownerOf, type StepKey } from '../model/ids.ts';
import { nearest } from '../model/suggest.ts';
import type { CliContext } from './context.ts';
import { EXIT } from './exit-codes.ts';

/** The keys of a run's steps, in the order in which they were first heard of. */
export function stepKeysIn(events: readonly JournalEvent[]): readonly StepKey[] {
  const keys = new Set<StepKey>();
  for (const event of events) {
    if (event.type === 'question-asked') keys.add(event.key);
    else if (event.type === 'step-started' && isWork(event.effect)) keys.add(ownerOf(event.key));
    else if (event.type === 'step-ended' && event.effect === 'note' && !event.key.endsWith('/item@done'))
      keys.add(ownerOf(event.key));
  }
  return [...keys];
}

/** Other effects look something up for a step, or clear up after it. */
function isWork(effect: string): boolean {
  return effect.startsWith('run-') || effect === 'wait-for-files';
}

/** By its whole key, or by its name where only one step has it. Undefined when there is none; that has been said. */
export function findStepOrTell(
  context: CliContext,
  events: readonly JournalEvent[],
  text: string,
): StepKey | undefined {
  const keys = stepKeysIn(events);
  const exact = keys.find((key) => key === text);
  if (exact !== undefined) return exact;
  const named = keys.filter((key) => key.split('/').at(-1) === text);
  if (named.length === 1) return named[0];
  context.exitCode = EXIT.usage;
  if (named.length > 1) {
    const shown = named.slice(0, 5).map((key) => `\`${key}\``);
    const more = named.length > shown.length ? ` and ${named.length - shown.length} more` : '';
    context.err(
      `error: ${named.length} steps are called \`${text}\`\nhelp: name one of ${shown.join(', ')}${more}\n`,
    );
    return undefined;
  }
  const near = nearest(text, keys);
  const hint =
    near !== undefined
      ? `did you mean \`${near}\`?`
      : keys.length === 0
        ? 'no step has begun'
        : `the steps are ${keys
            .slice(0, 10)
            .map((key) => `\`${key}\``)
            .join(', ')}${keys.length > 10 ? ', …' : ''}`;
  context.err(`error: the run has no step \`${text}\`\nhelp: ${hint}\n`);
  return undefined;
}
