import type { JsonObject, JsonValue } from '../model/json.ts';

/** One iteration, as later prompts tell of it. */
export interface Turn {
  readonly iteration: number;
  /** What the agent said besides asking for tools. */
  readonly text: string;
  readonly requests: readonly AskedTool[];
  /** In the order of the requests; what was malformed is answered among them. */
  readonly results: readonly ToolResult[];
}

export interface AskedTool {
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
}

/** As it stands in `state/tool_results.json`. */
export interface ToolResult {
  readonly tool_use_id: string;
  readonly tool_name: string;
  readonly status: 'success' | 'error' | 'denied' | 'timeout';
  readonly output: string;
  readonly executed_at: string;
  /** Where all of the output is, relative to the conversation's base. */
  readonly output_file?: string;
}

/** As it stands in `responses/iteration_NNN.json`. */
export type Response =
  | { readonly content: readonly JsonValue[]; readonly [member: string]: JsonValue | undefined }
  | RawResponse;

export interface RawResponse extends JsonObject {
  readonly text: string;
  readonly raw: true;
  /** Only the beginning: the answer was too long to be read. */
  readonly truncated?: true;
}
