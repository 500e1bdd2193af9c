/** How files travel through a hub, as data of rows: what a run, a call and its result say about them. */
import type { FilesBy } from '../../engine/dbos/carrier.ts';
import { defined } from '../../model/defined.ts';
import type { EngineWorkspace } from '../../model/engine-settings.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';

/** A run whose files travel: what is the same for all its calls. */
export interface TravellingRun {
  /** The folder of the run in the repository: `` or `sub/folder/`. */
  readonly prefix: string;
  /** The command that prepares a checkout. */
  readonly setup?: readonly string[];
  /** Patterns of ignored files that travel too. */
  readonly include: readonly string[];
  /** Patterns of files that stay on their machine. */
  readonly without?: readonly string[];
}

/** What a call starts with. */
export interface CallFiles extends TravellingRun {
  /** Unique in the run. */
  readonly call: string;
  /** The commit. */
  readonly base: string;
  /** It needs files of the run's own folder, which are in the hub. */
  readonly isGiven?: boolean;
  /** What prepares its checkout after `setup`. */
  readonly thenSetup?: readonly string[];
  /** Ends of the names of branches with work that is not merged, which it is about (`keptBranches`). */
  readonly branches?: readonly string[];
  /** The name of its checkout, if that is the one of an earlier call that it continues: command lines find conversations by their folder. */
  readonly checkout?: string;
}

/** What it left behind. */
export interface WorkFiles {
  readonly execution: string;
  /** The commit; the base if nothing changed. */
  readonly done: string;
}

export function travellingRun(
  prefix: string,
  { setup }: Pick<Extract<EngineWorkspace, { type: 'git' }>, 'setup'>,
  { include, without }: Required<Pick<TravellingRun, 'include' | 'without'>>,
): TravellingRun {
  return { prefix, include, without, ...defined({ setup }) };
}

/** `files` of the row of a run: nothing if all machines have its folder. */
export function parseTravelling(text: string | null): TravellingRun | undefined {
  return text === null ? undefined : (JSON.parse(text) as TravellingRun);
}

export function filesBy(text: string | null): FilesBy {
  return text === null ? 'folder' : 'git';
}

export function asJson(files: CallFiles | WorkFiles): JsonObject {
  return { ...files } as unknown as JsonObject;
}

/** Rows are our own: of a worker of another version none is read. */
export function callFilesIn(value: JsonValue | undefined): CallFiles | undefined {
  return isJsonObject(value) ? (value as unknown as CallFiles) : undefined;
}

export function workFilesIn(value: JsonValue | undefined): WorkFiles | undefined {
  return isJsonObject(value) ? (value as unknown as WorkFiles) : undefined;
}
