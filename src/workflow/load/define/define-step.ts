/** Turns a step of the file into one to run. Called only for files without errors, so all rules hold. */
import { LIMIT_WAIT_MS, type RetryPolicy } from '../../../engine/retry.ts';
import { defineAsk } from '../../../model/ask-schema.ts';
import { defined } from '../../../model/defined.ts';
import { RETRIED_EXIT_CODES } from '../../../steps/retry-policy.ts';
import {
  DEFAULT_CHOICES,
  type Expectation,
  type FileDependencies,
  type Isolation,
  type Step,
  type StepCommon,
  type StepKind,
  type WorkflowDefinition,
} from '../../definition.ts';
import type { IsolateSource } from '../../schema/isolate.ts';
import type { StepSource } from '../../schema/step.ts';
import { plainPath } from '../plain-path.ts';
import { scriptArgv } from '../script-argv.ts';
import { defineCondition } from './define-condition.ts';
import { defineField } from './define-field.ts';
import { OVERRIDE_PROVIDER } from './define-provider.ts';
import { defineSandbox } from './define-sandbox.ts';
import { defineTools } from './define-tools.ts';
import { limitMs } from './limit-ms.ts';

/** The definition of the workflow that a `call` step names. */
export type CalledWorkflow = (step: StepSource) => WorkflowDefinition;

export function defineSteps(sources: readonly StepSource[], called: CalledWorkflow): readonly Step[] {
  return sources.map((source) => Object.assign(defineCommon(source), defineKind(source, called)));
}

function defineCommon(source: StepSource): StepCommon {
  const common: { -readonly [Key in keyof StepCommon]: StepCommon[Key] } = {
    name: source.name,
    capture: source.output_capture,
    allowParseError: source.allow_parse_error,
    on: defineJumps(source),
    maxVisits: source.max_visits,
  };
  if (source.description !== undefined) common.description = source.description;
  if (source.agent !== undefined) common.agent = source.agent;
  if (source.input_file !== undefined) common.inputFile = source.input_file;
  if (source.output_file !== undefined) common.outputFile = source.output_file;
  if (source.working_dir !== undefined) common.workingDir = source.working_dir;
  const sandbox = defineSandbox(source);
  if (sandbox !== undefined) common.sandbox = sandbox;
  if (source.values !== undefined) common.values = { ...source.values };
  if (source.env !== undefined) common.env = source.env;
  if (source.secrets !== undefined) common.secrets = source.secrets;
  if (source.depends_on !== undefined) common.dependsOn = defineDependencies(source.depends_on);
  if (source.timeout_sec !== undefined) common.timeoutMs = limitMs(source.timeout_sec);
  if (source.idle_timeout_sec !== undefined) common.idleTimeoutMs = limitMs(source.idle_timeout_sec);
  if (source.worker !== undefined) common.worker = source.worker;
  if (source.retries !== undefined) common.retry = defineRetry(source.retries);
  if (source.when !== undefined) common.when = defineCondition(source.when);
  if (source.cache !== undefined) {
    common.cache = { inputs: source.cache.inputs ?? [], key: source.cache.key ?? [] };
  }
  if (source.allow_failure) common.allowFailure = true;
  const isolation = source.isolate === undefined ? undefined : defineIsolation(source.isolate);
  if (isolation !== undefined) common.isolate = isolation;
  if (source.expect !== undefined) common.expect = defineExpectation(source.expect);
  return common;
}

function defineIsolation(source: IsolateSource): Isolation | undefined {
  if (source === 'worktree') return { include: [], review: false };
  if (!source.worktree) return undefined;
  const { commit, include, setup, review } = source;
  return {
    include: include ?? [],
    review,
    ...(commit === false ? {} : { commit: commit === true ? {} : defined(commit) }),
    ...defined({ setup }),
  };
}

const NO_JUMPS: StepCommon['on'] = {};

function defineJumps({ on }: StepSource): StepCommon['on'] {
  if (on === undefined) return NO_JUMPS;
  return defined({ success: on.success?.goto, failure: on.failure?.goto, always: on.always?.goto });
}

function defineDependencies(source: NonNullable<StepSource['depends_on']>): FileDependencies {
  const files = { required: source.required ?? [], optional: source.optional ?? [] };
  const { inject } = source;
  if (inject === undefined || inject === false) return files;
  if (inject === true) return { ...files, inject: { mode: 'list', position: 'prepend' } };
  if (inject.mode === 'none') return files;
  return {
    ...files,
    inject: {
      mode: inject.mode,
      position: inject.position,
      ...defined({ instruction: inject.instruction }),
    },
  };
}

function defineRetry(source: NonNullable<StepSource['retries']>): RetryPolicy {
  const given = typeof source === 'number' ? { max: source } : source;
  const onExit = 'on_exit' in given ? given.on_exit : undefined;
  return {
    max: given.max,
    delayMs: 'delay_ms' in given ? given.delay_ms : 1000,
    backoff: 'backoff' in given ? given.backoff : 2,
    maxDelayMs: 'max_delay_ms' in given ? given.max_delay_ms : 60_000,
    jitter: 'jitter' in given ? given.jitter : 0,
    onExit: onExit ?? RETRIED_EXIT_CODES,
    limitWaitMs: LIMIT_WAIT_MS,
  };
}

function defineExpectation(source: NonNullable<StepSource['expect']>): Expectation {
  const { json_schema: schema, command } = source;
  return {
    files: source.files ?? [],
    ...(schema === undefined
      ? {}
      : {
          jsonSchema:
            typeof schema === 'string' ? { type: 'file', path: schema } : { type: 'inline', schema },
        }),
    ...defined({ command }),
    reask: source.reask,
  };
}

function defineKind(source: StepSource, called: CalledWorkflow): StepKind {
  const command = source.command ?? scriptArgv(source);
  if (command !== undefined) return { type: 'command', command };
  if (source.provider !== undefined || source.command_override !== undefined) return defineAgent(source);
  if (source.wait_for !== undefined) {
    const { glob, timeout_sec, poll_ms, min_count } = source.wait_for;
    return { type: 'wait', glob, timeoutMs: limitMs(timeout_sec), pollMs: poll_ms, minCount: min_count };
  }
  if (source.approve !== undefined) {
    const { message, choices, fields, timeout_sec, default: taken, show } = source.approve;
    return {
      type: 'approve',
      message,
      choices: choices ?? (fields === undefined ? DEFAULT_CHOICES : []),
      ...(fields === undefined ? {} : { fields: fields.map((field) => defineField(field.name, field)) }),
      ...(timeout_sec === undefined ? {} : { timeoutMs: limitMs(timeout_sec) }),
      ...defined({ default: taken, show }),
    };
  }
  if (source.break !== undefined) {
    const { when } = source.break;
    return { type: 'break', ...(when === undefined ? {} : { breakWhen: defineCondition(when) }) };
  }
  if (source.end !== undefined) {
    const { status, message } = source.end;
    return { type: 'end', status, ...defined({ message }) };
  }
  if (source.call !== undefined) {
    const { context, as, program, input } = source.call;
    if (program !== undefined)
      return { type: 'program', program: plainPath(program), input: input ?? {}, ...defined({ as }) };
    return {
      type: 'call',
      workflow: called(source),
      context: context ?? {},
      ...defined({ as }),
    };
  }
  return defineBlock(source, called);
}

function defineAgent(source: StepSource): StepKind {
  return {
    type: 'provider',
    provider: source.provider ?? OVERRIDE_PROVIDER,
    params: source.provider_params ?? {},
    ...defined({
      prompt: source.prompt,
      commandOverride: source.command_override,
      continueFrom: source.continue_from,
      forkFrom: source.fork_from,
      systemPrompt: source.system_prompt,
      permissions: source.permissions,
      maxTurns: source.max_turns,
      maxBudgetUsd: source.max_budget_usd,
      tools: defineTools(source),
      ask: source.ask === undefined ? undefined : defineAsk(source.ask),
    }),
  };
}

function defineBlock(source: StepSource, called: CalledWorkflow): StepKind {
  if (source.for_each !== undefined) {
    const loop = source.for_each;
    const { success, failure } = loop.on_item_complete ?? {};
    return {
      type: 'for-each',
      items:
        loop.matrix !== undefined
          ? { type: 'matrix', lists: loop.matrix }
          : loop.items_from === undefined
            ? { type: 'list', list: loop.items ?? [] }
            : { type: 'pointer', pointer: loop.items_from },
      as: loop.as,
      maxParallel: loop.max_parallel,
      steps: defineSteps(loop.steps, called),
      ...(loop.on_item_complete === undefined
        ? {}
        : {
            onItemComplete: {
              ...(success === undefined ? {} : { success: success.move_to }),
              ...(failure === undefined ? {} : { failure: failure.move_to }),
            },
          }),
      onItemFailure: loop.on_item_failure ?? (failure === undefined ? 'stop' : 'continue'),
    };
  }
  if (source.parallel !== undefined) {
    const { steps, branches, max_parallel, join } = source.parallel;
    const named = branches ?? (steps ?? []).map((step) => ({ name: step.name, steps: [step] }));
    return {
      type: 'parallel',
      ...(join === 'all' ? {} : { join }),
      maxParallel: max_parallel ?? Math.max(1, named.length),
      branches: named.map((branch) => ({ name: branch.name, steps: defineSteps(branch.steps, called) })),
    };
  }
  if (source.graph !== undefined) {
    const { steps, max_parallel, join } = source.graph;
    return {
      type: 'graph',
      ...(join === 'all' ? {} : { join }),
      maxParallel: max_parallel ?? steps.length,
      nodes: defineSteps(steps, called).map((step, index) => ({
        needs: [...new Set(steps[index]?.needs ?? [])],
        step,
      })),
    };
  }
  if (source.repeat !== undefined) {
    const { steps, until, max_iterations, delay_sec, on_exhausted } = source.repeat;
    return {
      type: 'repeat',
      steps: defineSteps(steps, called),
      until: defineCondition(until),
      maxIterations: max_iterations,
      delayMs: Math.round(delay_sec * 1000),
      onExhausted: on_exhausted,
    };
  }
  throw new Error(`step \`${source.name}\` has nothing to do and passed the rules`);
}
