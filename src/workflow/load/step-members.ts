/** Checks what `${steps.<name>.…}` reads, in a variable or a pointer. */
import { nearest } from '../../model/suggest.ts';
import { list } from '../../store/yaml/shape/describe-shape.ts';
import type { StepSource } from '../schema/step.ts';
import { needsOf } from './needs.ts';
import { type Reading, written } from './reading.ts';
import type { Words } from './report.ts';
import { checkResults, checkValue } from './result-members.ts';
import type { Check } from './rules/rule.ts';
import { isCommandStep } from './script-argv.ts';
import { type StepScope, visibleNames, visibleStep } from './step-index.ts';

const MEMBERS = [
  'exit_code',
  'output',
  'lines',
  'json',
  'files',
  'results',
  'unmerged',
  'values',
  'duration',
  'duration_ms',
  'outcome',
  'attempts',
  'cost_usd',
  'session_id',
] as const;

/** Members that can be followed by a path. */
const WITH_PARTS: readonly string[] = ['json', 'lines', 'files', 'results', 'unmerged', 'values'];
const OF_AGENTS: readonly string[] = ['cost_usd', 'session_id'];

export function findStep(check: Check, reading: Reading): StepSource | undefined {
  const { name } = reading.path;
  const step = visibleStep(reading.scope, name);
  if (step !== undefined) return step;
  const { places, index } = check.file;
  const elsewhere = index.byName.get(name);
  if (elsewhere !== undefined && checkNeeded(check, reading)) return undefined;
  if (elsewhere !== undefined) {
    const { owner } = elsewhere.scope;
    check.report.error('template/step-not-visible', reading.range(), {
      message: `${reading.reader} reads \`${written(reading)}\`, but \`${name}\` is not visible here`,
      related: [{ message: `\`${name}\` is defined here`, range: places.valueRange(elsewhere.step, 'name') }],
      help:
        owner === undefined
          ? 'steps of `finally` are only visible inside `finally`'
          : `it is inside \`${owner.name}\`; use files to pass results out`,
    });
    return undefined;
  }
  const meant = nearest(name, visibleNames(reading.scope));
  const target = meant === undefined ? undefined : visibleStep(reading.scope, meant);
  check.report.error('template/unknown-step', reading.range(), {
    message: `${reading.reader} reads \`${written(reading)}\`, but there is no step \`${name}\``,
    related:
      target === undefined
        ? undefined
        : [{ message: `\`${meant}\` is defined here`, range: places.valueRange(target, 'name') }],
    help: meant === undefined ? undefined : `did you mean \`${written(reading, { name: meant })}\`?`,
  });
  return undefined;
}

/** Reports a step that reads another one of its graph without needing it. */
function checkNeeded(check: Check, reading: Reading): boolean {
  const { name } = reading.path;
  for (let at: StepScope | undefined = reading.scope; at !== undefined; at = at.parent) {
    const other = at.names.get(name) ?? at.held.get(name)?.holder;
    const reader = at.node?.step;
    if (at.node === undefined || reader === undefined || other === undefined) continue;
    const isLater = other === reader || needsOf([...at.names.values()])(other, reader);
    check.report.error('template/not-needed', reading.range(), {
      message:
        other === reader
          ? `${reading.reader} reads \`${written(reading)}\`, its own result`
          : `${reading.reader} reads \`${written(reading)}\`, but \`${reader.name}\` does not need \`${other.name}\``,
      help:
        other === reader
          ? undefined
          : isLater
            ? `\`${other.name}\` needs \`${reader.name}\` and runs after it`
            : `add \`${other.name}\` to its \`needs\`: \`needs: [${[...(reader.needs ?? []), other.name].join(', ')}]\``,
    });
    return true;
  }
  return false;
}

export function checkMember(check: Check, step: StepSource, reading: Reading): void {
  const { member } = reading.path;
  if (!MEMBERS.some((known) => known === member)) {
    const meant = nearest(member, MEMBERS);
    check.report.error('template/unknown-variable', reading.range(), {
      message: `${reading.reader} reads \`${written(reading)}\`, but a step has no \`${member}\``,
      help:
        meant === undefined
          ? `a step has ${list(MEMBERS)}`
          : `did you mean \`${written(reading, { member: meant })}\`?`,
    });
    return;
  }
  if (reading.path.rest.length > 0 && !WITH_PARTS.includes(member)) {
    check.report.error('template/unknown-variable', reading.range(), {
      message: `${reading.reader} reads \`${written(reading)}\`, but \`${member}\` has no members`,
      help: `did you mean \`${written(reading, { rest: [] })}\`?`,
    });
    return;
  }
  if (OF_AGENTS.includes(member) && isPlain(step)) {
    check.report.error('template/not-captured', reading.range(), {
      message: `${reading.reader} reads \`${written(reading)}\`, but \`${reading.path.name}\` is not an agent step`,
      related: definedAt(check, step, reading),
    });
    return;
  }
  const kept = keptBy(step);
  if (['output', 'lines', 'json', 'files', 'results'].includes(member) && !kept.includes(member)) {
    notCaptured(check, step, { reading, kept });
    return;
  }
  if (member === 'unmerged' && step.isolate === undefined) {
    check.report.error('template/not-captured', reading.range(), {
      message: `${reading.reader} reads \`${written(reading)}\`, but \`${reading.path.name}\` has no \`isolate\``,
      related: definedAt(check, step, reading),
    });
    return;
  }
  if (member === 'values') checkValue(check, step, reading);
  else if (member === 'results') checkResults(check, step, reading);
  else checkOutput(check, step, reading);
}

function definedAt(check: Check, step: StepSource, reading: Reading): Words['related'] {
  const range = check.file.places.valueRange(step, 'name');
  return [{ message: `\`${reading.path.name}\` is defined here`, range }];
}

/** Whether the step cannot call an agent, not even through inner steps. */
function isPlain(step: StepSource): boolean {
  return (
    isCommandStep(step) ||
    step.wait_for !== undefined ||
    step.approve !== undefined ||
    step.break !== undefined ||
    step.end !== undefined
  );
}

/** The kinds of output that a step captures. */
function keptBy(step: StepSource): readonly string[] {
  if (step.approve !== undefined)
    return step.approve.fields !== undefined && step.approve.choices === undefined
      ? ['json']
      : ['output', 'json'];
  if (step.call !== undefined) return ['json'];
  if (step.wait_for !== undefined) return ['files'];
  if (step.break !== undefined || step.end !== undefined) return [];
  if (step.for_each !== undefined || step.parallel !== undefined || step.graph !== undefined)
    return ['results'];
  if (step.repeat !== undefined) return [];
  const schema = step.expect?.json_schema === undefined ? [] : ['json'];
  if (step.output_capture === 'text') return ['output', ...schema];
  if (step.output_capture === 'lines') return ['lines', ...schema];
  return step.allow_parse_error ? ['json', 'output'] : ['json'];
}

function notCaptured(
  check: Check,
  step: StepSource,
  found: { readonly reading: Reading; readonly kept: readonly string[] },
): void {
  const { reading, kept } = found;
  const { name, member } = reading.path;
  const isProcess = isCommandStep(step) || step.provider !== undefined || step.command_override !== undefined;
  const capture = member === 'output' ? 'text' : member;
  check.report.error('template/not-captured', reading.range(), {
    message: `${reading.reader} reads \`${written(reading)}\`, but \`${name}\` captures ${kept.length === 0 ? 'no output' : `only ${list(kept)}`}`,
    related: definedAt(check, step, reading),
    help:
      isProcess && member !== 'files' && member !== 'results'
        ? `set \`output_capture: ${capture}\` on \`${name}\`, or read \`steps.${name}.${kept[0] ?? 'exit_code'}\``
        : kept[0] === undefined
          ? undefined
          : `read \`steps.${name}.${kept[0]}\``,
  });
}

/** A called workflow declares its outputs. */
function checkOutput(check: Check, step: StepSource, reading: Reading): void {
  const target = check.file.called.get(step);
  const [output] = reading.path.rest;
  if (target === undefined || reading.path.member !== 'json' || output === undefined) return;
  const outputs = Object.keys(target.source.outputs ?? {});
  if (outputs.includes(output)) return;
  const meant = nearest(output, outputs);
  check.report.error('template/unknown-output', reading.range(), {
    message: `${reading.reader} reads \`${written(reading)}\`, but \`${target.path}\` has no output \`${output}\``,
    help:
      meant !== undefined
        ? `did you mean \`${written(reading, { rest: [meant] })}\`?`
        : outputs.length === 0
          ? `declare it under \`outputs\` of \`${target.path}\``
          : `its outputs are ${list(outputs)}`,
  });
}
