/**
 * The text of `state.json`. Its last field, `journal`, names the journal that the state was made from and has a checksum of the text
 * before it, so that lists use only what the program wrote, made from the current journal.
 */
import { crc32 } from '../model/crc32.ts';
import { isJsonObject, type JsonObject, parseJson } from '../model/json.ts';
import type { RunState } from '../model/run-state.ts';
import type { JournalMark } from '../store/journal-file.ts';

const JOURNAL_FIELD = ',\n  "journal": ';

/** The state and the journal position it includes; undefined if a record is not in the state yet. */
export interface ViewedRun {
  readonly state: RunState;
  readonly journal: JournalMark | undefined;
}

/** The state of a longer run is not indented: it has tens of megabytes, half of them spaces. */
const MOST_INDENTED_RECORDS = 20_000;

export function renderState({ state, journal }: ViewedRun): string {
  const isIndented = (journal?.records ?? 0) <= MOST_INDENTED_RECORDS;
  const text = JSON.stringify(state, null, isIndented ? 2 : 0);
  if (journal === undefined) return `${text}\n`;
  const before = text.slice(0, -(isIndented ? '\n}' : '}').length);
  const source = JSON.stringify({ ...journal, state: checksumText(before) }, null, 2).replaceAll(
    '\n',
    '\n  ',
  );
  return `${before}${JOURNAL_FIELD}${source}\n}\n`;
}

/** Undefined if the text was changed since it was written, or does not name its journal. Throws if it is not JSON. */
export function parseState(
  text: string,
): { readonly state: JsonObject; readonly journal: JournalMark } | undefined {
  const before = text.slice(0, Math.max(0, text.lastIndexOf(JOURNAL_FIELD)));
  const whole: unknown = parseJson(text);
  if (!isJsonObject(whole)) return undefined;
  const { journal, ...state } = whole;
  if (!isMark(journal) || journal['state'] !== checksumText(before)) return undefined;
  return { state, journal };
}

function checksumText(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

function isMark(value: unknown): value is JsonObject & JournalMark {
  return isJsonObject(value) && typeof value['bytes'] === 'number' && typeof value['checksum'] === 'string';
}
