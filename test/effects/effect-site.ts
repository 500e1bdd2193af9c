import fs from 'node:fs';
import { dirname, join } from 'node:path';
import type { EffectContext } from '../../src/engine/durable.ts';
import { stepKey } from '../../src/model/ids.ts';

/** The context of an effect, for a workspace and run folder inside `folder`. */
export function effectContext(
  folder: string,
  given: { readonly key?: string; readonly signal?: AbortSignal; readonly runId?: string } = {},
): EffectContext {
  const workspace = join(folder, 'work');
  const runId = given.runId ?? '20260131T000000Z-abc123';
  const directory = join(workspace, '.orchestrate', 'runs', runId);
  fs.mkdirSync(directory, { recursive: true });
  return {
    key: stepKey(given.key ?? 'Step'),
    attempt: 1,
    signal: given.signal ?? new AbortController().signal,
    run: { runId, directory, workspace },
    emit: () => {},
    processStarted: () => {},
  };
}

export function putFile(path: string, contents = ''): void {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, contents);
}
