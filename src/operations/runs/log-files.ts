import fs from 'node:fs';
import { join } from 'node:path';
import { type StepKey, stepKey } from '../../model/ids.ts';
import { unreachable } from '../../model/unreachable.ts';
import { type RunPaths, stepFileStem } from '../../store/layout.ts';
import { namesIn } from '../../store/names-in.ts';

export type LogKind = 'stdout' | 'stderr' | 'prompt' | 'response';

export interface LogQuery {
  readonly kind: LogKind;
  /** Default: all steps. */
  readonly key: StepKey | undefined;
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

/** Matches `Build`, its retries (`Build.try2`) and its parts (`Build@ask2`). */
function patternFor(query: LogQuery): RegExp {
  const stem =
    query.key === undefined ? '.+' : `${escaped(stepFileStem(stepKey(query.key), 1))}(?:@[a-z0-9-]+)?`;
  const attempt =
    query.attempt === undefined
      ? '(?:\\.try\\d+)?'
      : query.attempt === 1
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
    default:
      return unreachable(query.kind);
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
