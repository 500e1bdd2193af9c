import type { JournalEvent } from '../../model/event.ts';
import { ownerOf } from '../../model/ids.ts';
import { isJsonObject, type JsonValue } from '../../model/json.ts';

/** A file and the steps known to have written or read it. Files that an agent reads on its own are not known. */
export interface FileUse {
  readonly path: string;
  readonly written_by: readonly string[];
  readonly read_by: readonly string[];
}

/** Returns which steps wrote and read which files, as far as the journal records: declared inputs, outputs and dependencies. */
export function fileUses(events: readonly JournalEvent[]): readonly FileUse[] {
  const uses = new Map<string, { writers: Set<string>; readers: Set<string> }>();
  const use = (path: string) => {
    let found = uses.get(path);
    if (found === undefined) {
      found = { writers: new Set(), readers: new Set() };
      uses.set(path, found);
    }
    return found;
  };
  for (const event of events) {
    if (event.type === 'step-started') {
      for (const path of inputsOf(event.input)) use(path).readers.add(ownerOf(event.key));
    } else if (event.type === 'step-ended') {
      const key = ownerOf(event.key);
      const { read, written } = filesOf(event);
      for (const path of read) use(path).readers.add(key);
      for (const path of written) use(path).writers.add(key);
    }
  }
  return [...uses]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, { writers, readers }]) => ({ path, written_by: [...writers], read_by: [...readers] }));
}

function inputsOf(input: JsonValue): readonly string[] {
  if (!isJsonObject(input)) return [];
  const { stdinFile, prompt } = input;
  const parts = Array.isArray(prompt) ? prompt : [];
  return [
    ...(typeof stdinFile === 'string' ? [stdinFile] : []),
    ...parts.flatMap((part) =>
      isJsonObject(part) && part['type'] === 'file' && typeof part['path'] === 'string' ? [part['path']] : [],
    ),
  ];
}

function filesOf(event: Extract<JournalEvent, { type: 'step-ended' }>): {
  readonly read: readonly string[];
  readonly written: readonly string[];
} {
  const { output } = event;
  if (!isJsonObject(output)) return { read: [], written: [] };
  const note = output['note'];
  const record = isJsonObject(note) && isJsonObject(note['record']) ? note['record'] : output;
  const matches = event.key.endsWith('@depends-on') ? output['matches'] : [];
  return {
    read: [...texts(output['files']), ...(Array.isArray(matches) ? matches.flatMap(texts) : [])],
    written: event.effect === 'check-proof' ? [] : texts(record['artifacts']),
  };
}

function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
