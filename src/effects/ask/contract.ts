/** What a call tells its hook, on the command line: there is no file that the agent could change. */
import type { AskRule } from '../../model/ask-rule.ts';
import type { JsonObject } from '../../model/json.ts';
import { sha256 } from '../../model/sha256.ts';
import type { ToolCall } from './decide.ts';

export interface HookRules {
  readonly rules: readonly AskRule[];
  /** Absolute: the folder that paths of rules are relative to. */
  readonly root: string;
  readonly home?: string;
  /** What persons decided about calls of this conversation. */
  readonly grants: readonly Grant[];
  /** Absolute: a folder with a file for each answer that was used (`answer-call.ts`). */
  readonly marks: string;
}

export interface Grant {
  /** The name of the question. */
  readonly name: string;
  /** The id of the call. */
  readonly id: string;
  readonly choice: 'allow' | 'deny';
  /** The words of the person. */
  readonly comment?: string;
  /** The agent lost the call: the next one with this digest is meant. */
  readonly digest?: string;
}

/** The same for two calls that do the same; the description of a command is only for readers. */
export function callDigest({ tool, input }: ToolCall): string {
  const { description: _, ...rest } = input;
  return sha256(JSON.stringify([tool, sorted('command' in input ? rest : input)]));
}

function sorted(input: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(input).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
