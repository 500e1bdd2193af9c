/** An effect on its way to a worker, and its result on the way back, as text of a row. No path of the machine that asks is in it. */
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import type { Asked, EffectOutput } from '../../model/record.ts';

export interface CallRequest {
  readonly effect: string;
  readonly input: JsonValue;
  readonly key: string;
  readonly attempt: number;
  readonly timeLeftMs?: number;
  readonly elapsedMs?: number;
  readonly asked?: readonly Asked[];
  /** The folder that the effect sees as the workspace, relative to the run's folder. */
  readonly folder?: string;
  /** What `Freight.send` returned. */
  readonly freight?: JsonValue;
}

export type CallResult =
  | {
      readonly type: 'output';
      readonly output: EffectOutput;
      /** For `Freight.receive`. */
      readonly freight?: JsonValue;
    }
  /** An exception of the effect. */
  | { readonly type: 'bug'; readonly message: string };

export function parseRequest(text: string): CallRequest {
  return JSON.parse(text) as CallRequest;
}

/** `undefined`: it was cancelled before it had one. */
export function parseResult(text: string | null): CallResult | undefined {
  const value: unknown = text === null ? undefined : JSON.parse(text);
  return isJsonObject(value) ? (value as unknown as CallResult) : undefined;
}
