import type { Effect } from '../engine/durable.ts';
import type { RememberInput, RememberOutput } from './contracts.ts';

/** Does nothing: a replay returns the value seen the first time. */
export const remember: Effect<RememberInput, RememberOutput> = async ({ value }) => ({ value });
