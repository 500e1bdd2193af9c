import { defined } from '../../model/defined.ts';
import type { JsonObject } from '../../model/json.ts';
import { ok } from '../../model/result.ts';
import { writeLoopStatus } from '../../operations/loops/write-status.ts';
import { objectOf, type Tool, text, textIn, texts } from './tool.ts';

const count: JsonObject = { type: 'number', minimum: 0 };

export const STATUS_TOOL: Tool = {
  name: 'status_write',
  description:
    'Report the progress of an iterate workspace by updating its `.status.json`. Omitted fields keep their values.',
  input: objectOf(
    {
      workspace: text('name of the workspace'),
      complete: { type: 'boolean', description: 'the task is complete' },
      progress: objectOf({ completed: count, total: count }, ['completed', 'total']),
      worked: { type: 'boolean', description: 'work was done in this iteration' },
      summary: { type: 'string' },
      phase: { type: 'string' },
      blockers: texts('what blocks the work'),
      notes: { type: 'string' },
      nextSteps: texts('next steps'),
      abort: objectOf({ reason: text('why the task cannot be completed') }, ['reason']),
    },
    ['workspace', 'complete'],
  ),
  async run(site, given) {
    const { workspace: _workspace, ...status } = given;
    const written = await writeLoopStatus(site, { name: textIn(given, 'workspace') ?? '', status });
    if (written.type === 'error') return written;
    const { status: now, keptAs } = written.value;
    return ok({ ...now, ...defined({ kept_as: keptAs }) });
  },
};
