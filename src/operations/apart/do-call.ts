/** The other side of `withCodeApart`: does the operation in the process that was started for it. */
import { defined } from '../../model/defined.ts';
import type { JsonObject } from '../../model/json.ts';
import { ok, type Result } from '../../model/result.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { CodeCall } from '../code-apart.ts';
import type { StartWorkflow } from '../definitions/asked.ts';
import type { Problem } from '../problem.ts';
import { type ForkRun, forkRun } from '../resuming/fork-run.ts';
import { type ResumeRun, resumeRun } from '../resuming/resume-run.ts';
import type { Prepared } from '../run-plan.ts';
import { schedulesOf } from '../schedules/schedules-of.ts';
import type { Site } from '../site.ts';
import { fileInputs } from '../starting/file-inputs.ts';
import { startFile } from '../starting/start-file.ts';

export async function doCodeCall(
  site: Site,
  { operation, asked }: CodeCall,
): Promise<Result<unknown, Problem>> {
  switch (operation) {
    case 'start-file':
      return asData(await startFile(site, as<StartWorkflow>(asked)));
    case 'resume-run':
      return asData(await resumeRun(site, as<ResumeRun>(asked)));
    case 'fork-run':
      return asData(await forkRun(site, as<ForkRun>(asked)));
    case 'file-inputs':
      return fileInputs(site, as<{ readonly file: string }>(asked).file);
    case 'schedules-of':
      return schedulesOf(site, as<{ readonly file: string }>(asked));
    default:
      return unreachable(operation);
  }
}

/** It was made by this program, from a value of this type. */
function as<Asked>(asked: JsonObject): Asked {
  return asked as unknown as Asked;
}

/** Who carries the plan out reads the journal itself. */
function asData(prepared: Result<Prepared, Problem>): Result<unknown, Problem> {
  if (prepared.type === 'error') return prepared;
  const { plan, warnings, notes, loop, type } = prepared.value as Prepared & { readonly type?: string };
  return ok({ plan, ...defined({ type, warnings, notes, loop }) });
}
