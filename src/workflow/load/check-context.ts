import type { JsonObject } from '../../model/json.ts';
import { nearest } from '../../model/suggest.ts';
import { checkCallInputs, checkGivenInputs } from './check-inputs.ts';
import type { LoadOptions } from './load-workflow.ts';
import { createReport, type Words } from './report.ts';
import type { WorkflowFile } from './workflow-file.ts';

/**
 * A context key that a file reads but does not set must be set from outside: by the command line or the step that calls it. Returns the
 * values from outside, typed by `inputs`.
 */
export function checkContext(
  workspace: string,
  files: readonly [WorkflowFile, ...WorkflowFile[]],
  { context, isRecorded }: LoadOptions,
): JsonObject {
  const [root] = files;
  const given = context === undefined ? undefined : Object.keys(context);
  for (const file of files) {
    if (file.source.inputs !== undefined) checkDeclared(file);
    checkCalls(file);
  }
  if (root.source.inputs === undefined) checkRoot(root, given);
  if (context === undefined) return {};
  if (isRecorded === true) {
    checkRecorded(root, context);
    return context;
  }
  return checkGivenInputs(workspace, root, context);
}

/** With `inputs`, nothing else can be set from outside. */
function checkDeclared(file: WorkflowFile): void {
  const report = createReport(file.diagnostics);
  for (const { key, range } of file.openContext)
    report.error('template/unknown-context', range, wordsFor(file, key, []));
}

function checkRoot(root: WorkflowFile, given: readonly string[] | undefined): void {
  const report = createReport(root.diagnostics);
  for (const { key, range, isOptional } of root.openContext) {
    if (isOptional === true || given?.includes(key)) continue;
    const words = wordsFor(root, key, given ?? []);
    if (given === undefined) report.warning('template/unknown-context', range, words);
    else report.error('template/unknown-context', range, words);
  }
  for (const key of given ?? []) checkRead(root, key);
}

/** The values of an earlier run were checked when it started; an input that was added since has none. */
function checkRecorded(root: WorkflowFile, context: JsonObject): void {
  const { inputs = {}, context: own = {} } = root.source;
  for (const [name, { default: value, required }] of Object.entries(inputs)) {
    const isSet = Object.hasOwn(context, name) || Object.hasOwn(own, name) || value !== undefined;
    if (isSet || required === false) continue;
    createReport(root.diagnostics).error('inputs/missing', root.places.keyRange(inputs, name), {
      message: `the input \`${name}\` was added after the run was started, and has no value`,
      help: 'give it a `default`, or start a new run',
    });
  }
}

/** A key that is set from outside and never read is often misspelt. */
function checkRead(root: WorkflowFile, key: string): void {
  const known = [...Object.keys(root.source.context ?? {}), ...root.openContext.map((open) => open.key)];
  if (known.includes(key)) return;
  const meant = nearest(key, known);
  root.diagnostics.push({
    code: 'context/not-read',
    severity: 'warning',
    message: `context key \`${key}\` is set, but the workflow does not read \`context.${key}\``,
    path: root.path,
    ...(meant === undefined ? {} : { help: `did you mean \`${meant}\`?` }),
  });
}

function checkCalls(file: WorkflowFile): void {
  for (const [step, target] of file.called) {
    if (step.call === undefined) continue;
    checkCallInputs(file, step, target);
    if (target.source.inputs !== undefined) continue;
    const given = step.call.context ?? {};
    const asked = new Set<string>();
    for (const { key, range, isOptional } of target.openContext) {
      if (isOptional === true || Object.hasOwn(given, key) || asked.has(key)) continue;
      asked.add(key);
      createReport(file.diagnostics).error('template/unknown-context', file.places.keyRange(step, 'call'), {
        message: `step \`${step.name}\` calls \`${target.path}\`, which reads \`context.${key}\`, but neither sets it`,
        related: [{ message: 'it is read here', range }],
        help: `add \`${key}\` to the \`context\` of the call`,
      });
    }
  }
}

function wordsFor(file: WorkflowFile, key: string, extra: readonly string[]): Words {
  const { context = {}, inputs } = file.source;
  const meant = nearest(key, [...Object.keys(context), ...Object.keys(inputs ?? {}), ...extra]);
  return {
    message:
      inputs === undefined
        ? `\`context.${key}\` is not defined: \`context\` has no key \`${key}\``
        : `\`context.${key}\` is not defined: neither \`inputs\` nor \`context\` has a key \`${key}\``,
    help:
      meant !== undefined
        ? `did you mean \`context.${meant}\`?`
        : inputs === undefined
          ? `add it to \`context\`, or pass \`--context ${key}=…\``
          : 'declare it under `inputs`, or set it under `context`',
  };
}
