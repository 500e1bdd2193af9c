import type { Failure } from '../../model/failure.ts';
import type { JsonValue } from '../../model/json.ts';
import type { Result } from '../../model/result.ts';
import type { EffectContext } from '../durable.ts';
import type { Holder } from './affinity.ts';

/** What goes to a worker with a call besides its input, and comes back besides its output: the files of the run, if machines do not share them. */
export interface Freight {
  /** Before the call is queued. Repeated by a later owner, it returns the same. */
  send(
    callId: string,
    call: {
      readonly input: JsonValue;
      readonly context: EffectContext;
      /** It continues what that worker has. */
      readonly holder?: Holder;
    },
  ): Promise<Result<JsonValue, Failure>>;
  /** What `send` returned, and what the worker reports with its output. Returns why its work cannot be used. Repeating it changes nothing. */
  receive(
    callId: string,
    call: {
      readonly sent: JsonValue;
      readonly back: JsonValue | undefined;
      readonly context: EffectContext;
    },
  ): Promise<Failure | undefined>;
}
