import type { Message } from './notice.ts';

/** One way to send a message. */
export interface Delivery {
  /** As problems name it, without credentials. */
  readonly shown: string;
  /** Rejects if the message was not accepted. */
  deliver(message: Message, signal: AbortSignal): Promise<void>;
}

/** The service has answered, and will answer the same again. */
export class Rejected extends Error {}
