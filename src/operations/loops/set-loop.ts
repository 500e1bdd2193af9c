/** Changes a loop while it runs: its limits and instructions, from the next iteration. */
import { changeText, type LoopChange, parseChange } from '../../iterate/workspace/change.ts';
import { readTextIfThere } from '../../iterate/workspace/workspaces.ts';
import { defined } from '../../model/defined.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { documentText } from '../../store/document.ts';
import { keepAside } from '../../store/keep-aside.ts';
import { heldBy } from '../../store/lock.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { openLoop } from './site/find-loop.ts';
import type { OfLoop } from './site/loops.ts';

export interface SetLoop extends OfLoop {
  readonly changes: Omit<LoopChange, 'run' | 'at'>;
}

export function setLoop(site: Site, asked: SetLoop): Result<{ readonly what: string }, Problem> {
  const opened = openLoop(site, asked);
  if (opened.type === 'error') return opened;
  const { paths, metadata } = opened.value.workspace;
  const runId = metadata.run?.id;
  const { maxIterations, delay, stagnationThreshold, instructions, budget } = asked.changes;
  if (heldBy(paths.lock) === undefined || runId === undefined)
    return error({ type: 'cannot-set-idle-loop', name: asked.name });
  const before = parseChange(readTextIfThere(paths.set), runId);
  const limits = { ...before?.budget, ...defined({ ...budget }) };
  const given: LoopChange = {
    ...{ run: runId, at: site.now().toISOString() },
    ...defined({ maxIterations, delay, stagnationThreshold, instructions }),
    ...(Object.keys(limits).length === 0 ? {} : { budget: limits }),
  };
  const what = changeText(given);
  if (what === '') return error({ type: 'nothing-to-set', name: asked.name });
  if (given.instructions !== undefined) {
    keepAside(paths.instructions);
    replaceFile(paths.instructions, given.instructions, { mode: 0o644 });
  }
  replaceFile(paths.set, documentText({ ...before, ...given }), { mode: 0o644 });
  return ok({ what });
}
