/** `schedule` of a workflow in code. */
import { givenInput } from '../../code/run/given-input.ts';
import type { ScheduledStart, Workflow } from '../../code/written/workflow.ts';
import { defined } from '../../model/defined.ts';
import { cronProblem, isTimezone } from '../../workflow/cron.ts';
import type { ScheduleEntry } from '../../workflow/definition.ts';
import { CATCH_UPS, OVERLAPS } from '../../workflow/schema/schedule.ts';

const KEYS = ['cron', 'timezone', 'input', 'overlap', 'catchUp'];

/** The input of its runs is what `context` is in a workflow file. */
export function scheduleOfCode({ schedule = [] }: Workflow): readonly ScheduleEntry[] {
  return schedule.map(({ cron, timezone, input = {}, overlap = 'skip', catchUp = 'none' }) => ({
    ...{ cron, context: input, overlap, catchUp },
    ...defined({ timezone }),
  }));
}

/** What is wrong with it, as sentences. */
export async function scheduleProblems(workflow: Workflow): Promise<readonly string[]> {
  const { schedule = [] } = workflow;
  if (!Array.isArray(schedule)) return ["`schedule` must be a list: `schedule: [{ cron: '30 2 * * *' }]`"];
  const found = await Promise.all(schedule.map((entry: unknown) => problemsOf(workflow, entry)));
  return found.flat();
}

async function problemsOf(workflow: Workflow, given: unknown): Promise<readonly string[]> {
  const entry = given as ScheduledStart | null;
  if (typeof entry !== 'object' || entry === null || typeof entry.cron !== 'string')
    return ["an entry of `schedule` needs `cron`, such as '30 2 * * *'"];
  const { cron, timezone, overlap = 'skip', catchUp = 'none', input = {} } = entry;
  const unknown = Object.keys(entry).find((key) => !KEYS.includes(key));
  const times = cronProblem(cron);
  const fits = await givenInput(workflow, input);
  return [
    ...(unknown === undefined
      ? []
      : [`unknown key \`${unknown}\` in \`schedule\`; valid keys: ${KEYS.join(', ')}`]),
    ...(times === undefined ? [] : [`\`schedule\`: ${times}`]),
    ...(timezone === undefined || isTimezone(timezone) ? [] : [`unknown time zone \`${timezone}\``]),
    ...(OVERLAPS.includes(overlap) ? [] : [`\`overlap\` must be one of ${OVERLAPS.join(', ')}`]),
    ...(CATCH_UPS.includes(catchUp) ? [] : [`\`catchUp\` must be one of ${CATCH_UPS.join(', ')}`]),
    ...(fits.type === 'ok'
      ? []
      : fits.error.map(({ text }) => `the \`input\` of \`schedule\` does not fit: ${text}`)),
  ];
}
