import type { JsonObject } from '../../model/json.ts';
import { error, ok } from '../../model/result.ts';
import { writeLoopStatus } from '../../operations/loops/write-status.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';
import { capture, sentence } from './call-command.ts';
import { objectOf, type Tool, text, textIn, texts } from './tool.ts';

const count: JsonObject = { type: 'number', minimum: 0 };

export const STATUS_TOOL: Tool = {
  name: 'status_write',
  description:
    'Say how far the task of an iterate workspace is: its `.status.json`. What is not given stays as it is.',
  input: objectOf(
    {
      workspace: text('the name of the workspace'),
      complete: { type: 'boolean', description: 'nothing is left to do' },
      progress: objectOf({ completed: count, total: count }, ['completed', 'total']),
      worked: { type: 'boolean', description: 'work was done in this iteration' },
      summary: { type: 'string' },
      phase: { type: 'string' },
      blockers: texts('what stands in the way'),
      notes: { type: 'string' },
      nextSteps: texts('what comes next'),
      abort: objectOf({ reason: text('why the task cannot be done') }, ['reason']),
    },
    ['workspace', 'complete'],
  ),
  async run(context, given) {
    const { workspace: _workspace, ...status } = given;
    const name = textIn(given, 'workspace') ?? '';
    const { captured, printed } = capture(context);
    const written = await writeLoopStatus(siteOf(captured), { name, status });
    if (written.type === 'error') {
      refuse(captured, written.error);
      return error(sentence(printed.err));
    }
    const { keptAs } = written.value;
    return ok({ ...written.value.status, ...(keptAs === undefined ? {} : { kept_as: keptAs }) });
  },
};
