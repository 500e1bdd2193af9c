import fs from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type StepKey, stepKey } from '../model/ids.ts';
import { printable } from '../report/text/printable.ts';
import { errnoOf } from '../store/errno.ts';
import { type RunPaths, stepFileStem } from '../store/layout.ts';

export type LogKind = 'stdout' | 'stderr' | 'prompt' | 'response';

export interface LogQuery {
  readonly kind: LogKind;
  /** All steps where absent. */
  readonly key: StepKey | undefined;
  readonly attempt: number | undefined;
}

export interface LogFile {
  readonly name: string;
  readonly path: string;
}

/** The files that answer the query: in the order of `keys`, which the journal tells, or of their last change. */
export function logFiles(
  paths: RunPaths,
  query: LogQuery,
  keys: readonly StepKey[] = [],
): readonly LogFile[] {
  const folder =
    query.kind === 'prompt' ? paths.prompts : query.kind === 'response' ? paths.responses : paths.logs;
  const pattern = patternFor(query);
  let names: string[];
  try {
    names = fs.readdirSync(folder);
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return [];
    throw cause;
  }
  const places = new Map(keys.map((key, index) => [stepFileStem(key, 1), index]));
  return names
    .filter((name) => pattern.test(name))
    .map((name) => {
      const path = join(folder, name);
      const stat = fs.statSync(path, { throwIfNoEntry: false });
      const place = places.get(stemOf(name)) ?? keys.length;
      return { name, path, place, size: stat?.size ?? 0, changedAt: stat?.mtimeMs ?? 0 };
    })
    .filter((file) => file.size > 0)
    .sort((a, b) => a.place - b.place || a.changedAt - b.changedAt || (a.name < b.name ? -1 : 1));
}

/** `007-Build@ask2.try3.txt` → `Build`. */
function stemOf(name: string): string {
  return name.replace(/^\d+-(?=.*\.(?:txt|json)$)|(?:@[a-z0-9-]+)?(?:\.try\d+)?\.[a-z]+$/g, '');
}

/** `Build`, its tries (`Build.try2`) and what belongs to it (`Build@ask2`). */
function patternFor(query: LogQuery): RegExp {
  const stem =
    query.key === undefined ? '.+' : `${escaped(stepFileStem(stepKey(query.key), 1))}(?:@[a-z0-9-]+)?`;
  const attempt =
    query.attempt === undefined
      ? '(?:\\.try\\d+)?'
      : query.attempt <= 1
        ? '(?<!\\.try\\d+)'
        : `\\.try${query.attempt}`;
  switch (query.kind) {
    case 'stdout':
    case 'stderr':
      return new RegExp(`^${stem}${attempt}\\.${query.kind}$`);
    case 'prompt':
      return new RegExp(`^\\d+-${stem}${attempt}\\.txt$`);
    case 'response':
      return new RegExp(`^\\d+-${stem}${attempt}\\.json$`);
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Bytes `[from, to)`. */
export interface FilePart {
  readonly from: number;
  readonly to: number;
}

/** As it is; on a terminal without what would steer it. A reader that has gone away is no error. */
export async function printFile(path: string, isTerminal: boolean, part?: FilePart): Promise<void> {
  const range = part === undefined ? {} : { start: part.from, end: part.to - 1 };
  try {
    if (isTerminal) {
      await pipeline(
        fs.createReadStream(path, { encoding: 'utf8', ...range }),
        async function* (chunks: AsyncIterable<string>) {
          for await (const chunk of chunks) yield printable(chunk);
        },
        process.stdout,
        { end: false },
      );
    } else {
      await pipeline(fs.createReadStream(path, range), process.stdout, { end: false });
    }
  } catch (cause) {
    if (errnoOf(cause) !== 'EPIPE') throw cause;
  }
}
