/** Checks what a run, or a step that calls the workflow, gives as inputs. */
import fs from 'node:fs';
import { type CheckFile, type FieldProblem, readFields, wantedBy } from '../../model/field.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { SourceRange } from '../../model/source.ts';
import { nearest } from '../../model/suggest.ts';
import { unreachable } from '../../model/unreachable.ts';
import { resolveInside } from '../../store/safe-path.ts';
import { list } from '../../store/yaml/shape/describe-shape.ts';
import type { StepSource } from '../schema/step.ts';
import type { Code } from './codes.ts';
import { defineInputs } from './define/define-field.ts';
import { createReport, type Words } from './report.ts';
import type { WorkflowFile } from './workflow-file.ts';

/** Reports every problem with the context that is given to a workflow with `inputs`; returns its values, typed. */
export function checkGivenInputs(workspace: string, file: WorkflowFile, given: JsonObject): JsonObject {
  const { inputs, context = {} } = file.source;
  if (inputs === undefined) return given;
  const fields = defineInputs(file.source);
  const known = [...Object.keys(inputs), ...Object.keys(context)];
  const own = pick(given, (name) => !isOnlyContext(file, name));
  const { values, problems } = readFields(fields, own, fileInside(workspace));
  const report = createReport(file.diagnostics);
  for (const problem of problems) {
    const words = wordsOf(problem, known, (name, value = '…') => `\`--context ${name}=${value}\``);
    if (problem.type === 'unknown') {
      file.diagnostics.push({ code: codeOf(problem), severity: 'error', path: file.path, ...words });
    } else report.error(codeOf(problem), file.places.keyRange(inputs, problem.field.name), words);
  }
  return { ...pick(given, (name) => Object.hasOwn(context, name)), ...values };
}

/** Checks the `context` of a `call`. A value that contains `${…}` is checked when the step runs. */
export function checkCallInputs(file: WorkflowFile, step: StepSource, target: WorkflowFile): void {
  const { call } = step;
  if (call === undefined || target.source.inputs === undefined) return;
  const given = call.context ?? {};
  const isOpen = (value: JsonValue | undefined) => typeof value === 'string' && value.includes('$');
  const fields = defineInputs(target.source);
  const open = Object.keys(given).filter((name) => isOpen(given[name]));
  const { problems } = readFields(
    fields.map((field) => (open.includes(field.name) ? { ...field, required: false } : field)),
    pick(given, (name) => !open.includes(name) && !isOnlyContext(target, name)),
    () => undefined,
  );
  const known = [...fields.map(({ name }) => name), ...Object.keys(target.source.context ?? {})];
  const unknown = open.filter((name) => !known.includes(name));
  const report = createReport(file.diagnostics);
  for (const problem of [...problems, ...unknown.map((name) => ({ type: 'unknown', name }) as const)]) {
    const words = wordsOf(problem, known, (name, value) =>
      value === undefined ? `\`${name}\` in the \`context\` of the call` : `\`${name}: ${value}\``,
    );
    report.error(codeOf(problem), rangeIn(file, step, problem), {
      ...words,
      message: `step \`${step.name}\` calls \`${target.path}\`: ${words.message}`,
      related: problem.type === 'unknown' ? undefined : declaredIn(target, problem.field.name),
    });
  }
}

/** Why a path names no file of the workspace. */
export function fileInside(workspace: string): CheckFile {
  return (path) => {
    const found = resolveInside(workspace, path);
    if (found.type === 'error')
      return found.error.type === 'unsafe-path' ? found.error.reason : 'cannot be reached';
    const stat = fs.statSync(found.value, { throwIfNoEntry: false });
    if (stat === undefined) return 'does not exist';
    return stat.isFile() ? undefined : 'is not a file';
  };
}

/** A key of `context` that is not an input. */
function isOnlyContext({ source }: WorkflowFile, name: string): boolean {
  return Object.hasOwn(source.context ?? {}, name) && !Object.hasOwn(source.inputs ?? {}, name);
}

function codeOf(problem: FieldProblem): Code {
  switch (problem.type) {
    case 'missing':
      return 'inputs/missing';
    case 'invalid':
      return 'inputs/invalid';
    case 'unknown':
      return 'inputs/unknown';
    default:
      return unreachable(problem);
  }
}

/** `written` shows how a value is set there, or one that was probably meant. */
function wordsOf(
  problem: FieldProblem,
  known: readonly string[],
  written: (name: string, value?: string) => string,
): { readonly message: string; readonly help: string } {
  switch (problem.type) {
    case 'missing': {
      const { name } = problem.field;
      return {
        message: `the input \`${name}\` is missing`,
        help: `set it with ${written(name)}; it must be ${wantedBy(problem.field)}`,
      };
    }
    case 'invalid': {
      const { field, reason, meant } = problem;
      return {
        message: `the input \`${field.name}\` ${reason}`,
        help:
          meant === undefined
            ? `set it with ${written(field.name)}`
            : `did you mean ${written(field.name, meant)}?`,
      };
    }
    case 'unknown': {
      const meant = nearest(problem.name, known);
      return {
        message: `unknown input \`${problem.name}\``,
        help: meant === undefined ? `valid inputs: ${list(known)}` : `did you mean ${written(meant)}?`,
      };
    }
    default:
      return unreachable(problem);
  }
}

function rangeIn(file: WorkflowFile, step: StepSource, problem: FieldProblem): SourceRange {
  const { call } = step;
  if (call?.context === undefined || problem.type === 'missing') return file.places.keyRange(step, 'call');
  return problem.type === 'unknown'
    ? file.places.keyRange(call.context, problem.name)
    : file.places.valueRange(call.context, problem.field.name);
}

function declaredIn(target: WorkflowFile, name: string): Words['related'] {
  const range = target.places.keyRange(target.source.inputs ?? {}, name);
  return [{ message: 'the input is declared here', range }];
}

function pick(values: JsonObject, isKept: (name: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isKept(name)));
}
