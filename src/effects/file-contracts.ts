/** Effects on single files and documents. */
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { EffectOutput } from '../model/record.ts';

/** Paths are relative to the workspace, or to another folder. */
export interface FileSite {
  /** Relative to the workspace; absolute for a folder outside it that the user has named. */
  readonly root?: string;
}

export interface ReadFileInput extends FileSite {
  readonly path: string;
  /** A longer file is truncated and reported so; default: 1 MiB. */
  readonly maxBytes?: number;
}

export interface ReadFileOutput extends EffectOutput {
  /** Omitted if there is no such file. */
  readonly text?: string;
  readonly truncated?: boolean;
}

export interface WriteFileInput extends FileSite {
  readonly path: string;
  readonly text: string;
  /** 0600 for files that may contain prompts or outputs; default: 0644. */
  readonly mode?: number;
  /** The record of `store/written-files.ts`, in a folder above the file: keeps a foreign file that is in the way. */
  readonly record?: string;
}

/** Appends one JSON value to a JSON Lines file. Appending the same line twice is harmless. */
export interface AppendLineInput extends FileSite {
  readonly path: string;
  readonly line: JsonObject;
  /** Members by which a line near the end of the file is recognised as the same. */
  readonly sameBy: readonly string[];
  /** Mode of a new file; default: 0644. */
  readonly mode?: number;
}

/** A JSON document with several writers: read, changed and replaced under its lock. Making the same change twice is harmless. */
export interface UpdateDocumentInput extends FileSite {
  readonly path: string;
  readonly changes: readonly DocumentChange[];
  /** The initial document if there is none; without it a missing one is a failure. */
  readonly create?: JsonObject;
}

export type DocumentChange =
  | { readonly type: 'set'; readonly at: readonly string[]; readonly value: JsonValue }
  | { readonly type: 'remove'; readonly at: readonly string[] }
  /** Adds to a list, unless it contains an equal element. */
  | { readonly type: 'add'; readonly at: readonly string[]; readonly value: JsonValue };

export interface UpdateDocumentOutput extends EffectOutput {
  /** The current document. */
  readonly document?: JsonObject;
}
