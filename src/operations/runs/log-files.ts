import fs from 'node:fs';
import { join } from 'node:path';
import type { StepKey } from '../../model/ids.ts';
import { unreachable } from '../../model/unreachable.ts';
import { type RunPaths, stepFileStem } from '../../store/layout.ts';
import { namesIn } from '../../store/names-in.ts';

export type LogKind = 'stdout' | 'stderr' | 'prompt' | 'response';

export interface LogQuery {
  readonly kind: LogKind;
  /** Whether the file belongs to a step that is asked for. Default: all files. */
  readonly includes?: ((name: string) => boolean) | undefined;
  readonly attempt: number | undefined;
}

export interface LogFile {
  readonly name: string;
  readonly path: string;
}

/** The files that match the query, in the order of `keys` (from the journal), or of their last change. */
export function logFiles(
  paths: RunPaths,
  query: LogQuery,
  keys: readonly StepKey[] = [],
): readonly LogFile[] {
  const folder =
    query.kind === 'prompt' ? paths.prompts : query.kind === 'response' ? paths.responses : paths.logs;
  const pattern = patternFor(query);
  const places = new Map(keys.map((key, index) => [stepFileStem(key, 1), index]));
  return namesIn(folder)
    .filter((name) => pattern.test(name) && (query.includes === undefined || query.includes(name)))
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
export function stemOf(name: string): string {
  return name.replace(/^\d+-(?=.*\.(?:txt|json)$)|(?:@[a-z0-9-]+)?(?:\.try\d+)?\.[a-z]+$/g, '');
}

function patternFor(query: LogQuery): RegExp {
  const attempt =
    query.attempt === undefined
      ? '(?:\\.try\\d+)?'
      : query.attempt === 1
        ? '(?<!\\.try\\d+)'
        : `\\.try${query.attempt}`;
  switch (query.kind) {
    case 'stdout':
    case 'stderr':
      return new RegExp(`^.+${attempt}\\.${query.kind}$`);
    case 'prompt':
      return new RegExp(`^\\d+-.+${attempt}\\.txt$`);
    case 'response':
      return new RegExp(`^\\d+-.+${attempt}\\.json$`);
    default:
      return unreachable(query.kind);
  }
}
