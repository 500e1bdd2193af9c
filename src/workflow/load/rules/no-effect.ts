import { TOOL_KEYS } from '../../../model/agent-tools.ts';
import type { StepSource } from '../../schema/step.ts';
import { isCommandStep } from '../script-argv.ts';
import { type Check, called, stepsOf } from './rule.ts';
import { kindsOf } from './step-kind.ts';

/** Keys that affect only agents. */
const AGENT_KEYS = [
  'prompt',
  'provider_params',
  'system_prompt',
  'permissions',
  'max_turns',
  'max_budget_usd',
  'continue_from',
  'fork_from',
  'ask',
  ...TOOL_KEYS,
] as const;

/** Keys that affect only processes. */
const PROCESS_KEYS = [
  'sandbox',
  'network',
  'allow_hosts',
  'working_dir',
  'values',
  'input_file',
  'output_file',
  'env',
  'secrets',
  'depends_on',
  'timeout_sec',
  'idle_timeout_sec',
  'retries',
  'cache',
  'expect',
] as const;

/** Warns about keys without effect, which are usually mistakes. */
export function checkNoEffect(check: Check): void {
  for (const { step } of stepsOf(check)) {
    const [kind] = kindsOf(step);
    if (kind === undefined) continue;
    const isAgent = kind === 'provider' || kind === 'command_override';
    const isCommand = isCommandStep(step);
    const idle = isAgent ? [] : isCommand ? AGENT_KEYS : [...AGENT_KEYS, ...PROCESS_KEYS];
    for (const key of idle) {
      if (step[key] !== undefined) warn(check, step, { key, kind });
    }
    if (kind !== 'script' && step.shell !== undefined) warn(check, step, { key: 'shell', kind });
    if (isCommand || isAgent) checkParseError(check, step);
    if (step.allow_failure && step.on?.failure !== undefined) {
      check.report.warning('workflow/no-effect', check.file.places.keyRange(step.on, 'failure'), {
        message: `\`on.failure\` of ${called(step)} has no effect, because its failure is allowed and counts as success`,
        help: 'remove `allow_failure` or `on.failure`; `on.success` applies to an allowed failure too',
      });
    }
  }
}

function checkParseError(check: Check, step: StepSource): void {
  if (!step.allow_parse_error || step.output_capture === 'json') return;
  check.report.warning('workflow/no-effect', check.file.places.keyRange(step, 'allow_parse_error'), {
    message: `\`allow_parse_error\` has no effect, because the output of ${called(step)} is not parsed`,
    help: 'use it with `output_capture: json`',
  });
}

function warn(check: Check, step: StepSource, what: { readonly key: string; readonly kind: string }): void {
  check.report.warning('workflow/no-effect', check.file.places.keyRange(step, what.key), {
    message: `\`${what.key}\` has no effect on ${called(step)}, which is ${/^[aeiou]/.test(what.kind) ? 'an' : 'a'} \`${what.kind}\``,
  });
}
