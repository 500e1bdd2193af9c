import type { JsonObject, JsonValue } from '../model/json.ts';

/** One iteration, as shown in later prompts. */
export interface Turn {
  readonly iteration: number;
  /** The text of the answer, without tool requests. */
  readonly text: string;
  readonly requests: readonly AskedTool[];
  /** In the order of the requests, including malformed ones. */
  readonly results: readonly ToolResult[];
}

export interface AskedTool {
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
}

/** An entry of `state/tool_results.json`. */
export interface ToolResult {
  readonly tool_use_id: string;
  readonly tool_name: string;
  readonly status: 'success' | 'error' | 'denied' | 'timeout';
  readonly output: string;
  readonly executed_at: string;
  /** The file with the full output, relative to the conversation's base. */
  readonly output_file?: string;
}

/** The content of `responses/iteration_NNN.json`. */
export type Response =
  | { readonly content: readonly JsonValue[]; readonly [member: string]: JsonValue | undefined }
  | RawResponse;

export interface RawResponse extends JsonObject {
  readonly text: string;
  readonly raw: true;
  /** Only the beginning: the answer was too long. */
  readonly truncated?: true;
  /** It attempted the requested form, but is truncated or not valid JSON. */
  readonly malformed?: true;
}
