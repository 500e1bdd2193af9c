import type { Effect } from '../engine/durable.ts';
import type { RememberInput, RememberOutput } from './contracts.ts';

/** Does nothing: a replay is answered with what was seen the first time. */
export const remember: Effect<RememberInput, RememberOutput> = async ({ value }) => ({ value });
