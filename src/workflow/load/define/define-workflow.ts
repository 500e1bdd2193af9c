import { basename, extname } from 'node:path';
import { defined } from '../../../model/defined.ts';
import type { Field } from '../../../model/field.ts';
import type { JsonObject, JsonValue } from '../../../model/json.ts';
import type { ScheduleEntry, WorkflowDefinition } from '../../definition.ts';
import type { ScheduleSource } from '../../schema/schedule.ts';
import type { WorkflowSource } from '../../schema/workflow-file.ts';
import { defineInputs } from './define-field.ts';
import { defineProviders } from './define-provider.ts';
import { type CalledWorkflow, defineSteps } from './define-step.ts';

/** `file` is relative to the workspace. */
export function defineWorkflow(
  source: WorkflowSource,
  file: string,
  called: CalledWorkflow,
): WorkflowDefinition {
  const { budget } = source;
  const inputs = defineInputs(source);
  return {
    name: source.name ?? basename(file, extname(file)),
    file,
    strictFlow: source.strict_flow,
    context: withDefaults(source.context ?? {}, inputs),
    ...(source.inputs === undefined ? {} : { inputs }),
    ...defined({ description: source.description }),
    providers: defineProviders(source.providers ?? {}, source.defaults),
    queue: {
      inboxDir: source.inbox_dir,
      processedDir: source.processed_dir,
      failedDir: source.failed_dir,
      taskExtension: source.task_extension,
    },
    ...(budget === undefined
      ? {}
      : {
          budget: {
            ...defined({ usd: budget.usd, tokens: budget.tokens, minutes: budget.minutes }),
          },
        }),
    ...(source.schedule === undefined ? {} : { schedule: source.schedule.map(defineSchedule) }),
    ...defined({ keep: source.keep }),
    ...(source.notify === undefined ? {} : { notifies: true as const }),
    steps: defineSteps(source.steps, called),
    finally: defineSteps(source.finally ?? [], called),
    ...defined({ outputs: source.outputs }),
  };
}

function defineSchedule({ cron, timezone, context, overlap, catch_up }: ScheduleSource): ScheduleEntry {
  return { cron, ...defined({ timezone }), context: context ?? {}, overlap, catchUp: catch_up };
}

/** No key is special, so it has no prototype. */
function withDefaults(context: JsonObject, inputs: readonly Field[]): JsonObject {
  const all: { [key: string]: JsonValue | undefined } = Object.assign(Object.create(null), context);
  for (const { name, default: value } of inputs) if (value !== undefined) all[name] = value;
  return all;
}
