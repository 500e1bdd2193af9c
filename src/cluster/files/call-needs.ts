/** What a call needs besides the files of the run, found in its input and in the call that it continues. */
import { filesOfConversation } from '../../effects/agent/conversation.ts';
import { HELD } from '../../effects/held.ts';
import type { Holder } from '../../engine/dbos/affinity.ts';
import { parseRequest } from '../../engine/dbos/call-request.ts';
import type { EffectContext } from '../../engine/durable.ts';
import { checkoutName } from '../../git/hub/checkout.ts';
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import { runPathsIn } from '../../store/layout.ts';
import { callFilesIn } from './travelling.ts';

/** Files of the run's folder in which a call finds the conversation that it continues. */
export function conversationOf(input: JsonValue, context: EffectContext): readonly string[] {
  const { key, attempt, run } = context;
  const session = HELD.needs('run-agent', input);
  return filesOfConversation(runPathsIn(run.directory), { key, attempt }, session);
}

/** The checkout in which the conversation was begun. */
export function checkoutOf({ runId, request }: Holder): string | undefined {
  const files = callFilesIn(parseRequest(request).freight);
  return files === undefined ? undefined : (files.checkout ?? checkoutName({ runId, call: files.call }));
}

/** What prepares the checkout of a call: not twice, and not for the call that runs it. */
export function setupsFor(
  input: JsonValue,
  [usual, own]: readonly (readonly string[] | undefined)[],
): { readonly thenSetup?: readonly string[] } {
  const argv = isJsonObject(input) ? input['argv'] : undefined;
  const isOwn = [usual, argv].some((each) => JSON.stringify(each) === JSON.stringify(own));
  return own === undefined || isOwn ? {} : { thenSetup: own };
}

/** Branches with work that is not merged, which the input names. */
export function branchesIn(input: JsonValue, beginning: string): readonly string[] {
  const text = JSON.stringify(input);
  const found = new Set<string>();
  for (let at = text.indexOf(beginning); at !== -1; at = text.indexOf(beginning, at + 1)) {
    const [stem = ''] = /^[A-Za-z0-9_.#@-]*/.exec(text.slice(at + beginning.length)) ?? [];
    if (stem !== '') found.add(stem);
  }
  return [...found].sort();
}
