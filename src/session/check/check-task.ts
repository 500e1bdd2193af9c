/** Checks one task by its document alone: fields, types, form of ids, paths and flow control. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { SourceFile } from '../../model/source.ts';
import { nearest } from '../../model/suggest.ts';
import { texts } from '../document/fields.ts';
import { readApproach } from '../document/flow.ts';
import { fileOfTarget } from '../document/focus.ts';
import { whyNotConcrete } from '../document/paths.ts';
import { dependencyIds, statusFrom, TASK_STATUSES, TASK_TYPES, titleOf } from '../document/task.ts';
import { memberOf, partOf, placeOf } from '../document/task-parts.ts';
import { parentIdOf, parseTaskId } from '../ids.ts';
import { checkFlowControl } from './check-flow-control.ts';
import type { Finding } from './finding.ts';
import { checkText, checkTexts, type Report, WARNING } from './report.ts';

const CORE_FIELDS = ['id', 'title', 'status', 'meta', 'context', 'flow_control'] as const;

export function checkTask(source: JsonObject, file: SourceFile): readonly Finding[] {
  const findings: Finding[] = [];
  const report: Report = (rule, at, message, more) => findings.push({ rule, file, at, message, ...more });
  for (const field of CORE_FIELDS) {
    if (source[field] !== undefined) continue;
    // A leaf without any words cannot be executed.
    const more = field === 'title' && !saysWhat(source) ? {} : WARNING;
    report('task/missing-field', [], `missing field \`${field}\``, { help: FIELD_HELP[field], ...more });
  }
  checkId(source['id'], report);
  checkText(source['title'], ['title'], report);
  checkStatus(source['status'], report);
  for (const part of ['meta', 'context', 'flow_control'] as const) {
    const value = source[part];
    if (value !== undefined && !isJsonObject(value))
      report(
        part === 'flow_control' ? 'task/flow-control' : 'task/wrong-type',
        [part],
        'must be an object',
        WARNING,
      );
  }
  checkMeta(source, report);
  checkContext(source, report);
  checkFlow(source, report);
  return findings;
}

function saysWhat(source: JsonObject): boolean {
  return (
    source['status'] === 'container' ||
    titleOf(source, '') !== '' ||
    texts(memberOf(source, 'context', 'requirements')).length > 0 ||
    readApproach(memberOf(source, 'flow_control', 'implementation_approach')).type !== 'none'
  );
}

const FIELD_HELP: Readonly<Record<(typeof CORE_FIELDS)[number], string>> = {
  id: 'add `"id": "IMPL-1"`, the name of the file',
  title: 'add `"title"`, one line that says what to do',
  status: 'add `"status": "pending"`',
  meta: 'add `"meta": {"type": "feature", "agent": "code-developer"}`',
  context: 'add `"context": {}`',
  flow_control: 'add `"flow_control": {"pre_analysis": []}`',
};

function checkId(id: JsonValue | undefined, report: Report): void {
  if (id === undefined) return;
  if (typeof id !== 'string') {
    report('task/malformed-id', ['id'], 'must be a string');
    return;
  }
  if (parseTaskId(id) !== undefined) return;
  if (/^[A-Za-z]{2,12}-\d+(?:\.\d+){2,}$/.test(id)) {
    report('task/too-deep', ['id'], `has more than two levels: \`${id}\``, {
      help: 'use `IMPL-N` for a main task and `IMPL-N.M` for a subtask',
    });
  } else {
    report('task/malformed-id', ['id'], `must have the form \`IMPL-N\` or \`IMPL-N.M\`, not \`${id}\``);
  }
}

/** An unknown word is an error: the task may be completed. */
function checkStatus(status: JsonValue | undefined, report: Report): void {
  if (status === undefined || TASK_STATUSES.some((word) => word === status)) return;
  const known = statusFrom(status);
  const near = known ?? (typeof status === 'string' ? nearest(status, TASK_STATUSES) : undefined);
  report('task/unknown-status', ['status'], `must be one of ${TASK_STATUSES.join(', ')}`, {
    ...(near === undefined
      ? {}
      : { help: known === undefined ? `did you mean \`${near}\`?` : `it is read as \`${known}\`` }),
    ...(known === undefined ? {} : WARNING),
  });
}

function checkMeta(source: JsonObject, report: Report): void {
  const { type, agent } = partOf(source, 'meta');
  if (type !== undefined && !TASK_TYPES.some((word) => word === type)) {
    report(
      'task/unknown-type',
      placeOf(source, 'meta', 'type'),
      `is not one of ${TASK_TYPES.join(', ')}`,
      WARNING,
    );
  }
  if (agent !== undefined) checkText(agent, placeOf(source, 'meta', 'agent'), report);
}

function checkContext(source: JsonObject, report: Report): void {
  const context = partOf(source, 'context');
  for (const name of ['requirements', 'acceptance', 'depends_on', 'focus_paths'] as const) {
    checkTexts(context[name], placeOf(source, 'context', name), report);
  }
  checkPaths(context['focus_paths'], {
    at: placeOf(source, 'context', 'focus_paths'),
    report,
  });
  dependencyIds(texts(context['depends_on'])).forEach((id, index) => {
    if (parseTaskId(id) === undefined)
      report(
        'task/missing-dependency',
        [...placeOf(source, 'context', 'depends_on'), index],
        `names \`${id}\`, which is not a task id`,
      );
  });
  checkParent(source, context['parent'], report);
  const { inherited, shared_context } = context;
  const inheritedAt = placeOf(source, 'context', 'inherited');
  if (inherited !== undefined && inherited !== null) {
    if (!isJsonObject(inherited)) report('task/wrong-type', inheritedAt, 'must be an object', WARNING);
    else checkTexts(inherited['context'], [...inheritedAt, 'context'], report);
  }
  if (shared_context !== undefined && !isJsonObject(shared_context))
    report('task/wrong-type', placeOf(source, 'context', 'shared_context'), 'must be an object', WARNING);
}

/** The id alone decides what a task is a subtask of. */
function checkParent(source: JsonObject, parent: JsonValue | undefined, report: Report): void {
  const id = parseTaskId(String(source['id'] ?? ''));
  const at = placeOf(source, 'context', 'parent');
  const byForm = id === undefined ? undefined : parentIdOf(id);
  if (parent === undefined || parent === null) {
    if (byForm !== undefined)
      report(
        'task/missing-parent',
        ['context'],
        `of \`${id}\` must name \`${byForm}\` as \`parent\``,
        WARNING,
      );
  } else if (typeof parent !== 'string' || parseTaskId(parent) === undefined) {
    report('task/missing-parent', at, 'is not a task id', WARNING);
  } else if (id !== undefined && parent !== byForm) {
    const message =
      byForm === undefined
        ? `is \`${parent}\`, but \`${id}\` is a main task`
        : `is \`${parent}\`, but by its id \`${id}\` belongs to \`${byForm}\``;
    report('task/missing-parent', at, message, WARNING);
  }
}

function checkFlow(source: JsonObject, report: Report): void {
  const flow = partOf(source, 'flow_control');
  checkFlowControl(
    flow,
    {
      analysis: placeOf(source, 'flow_control', 'pre_analysis'),
      approach: placeOf(source, 'flow_control', 'implementation_approach'),
    },
    report,
  );
  const at = placeOf(source, 'flow_control', 'target_files');
  checkTexts(flow['target_files'], at, report);
  checkPaths(flow['target_files'], {
    at,
    report,
    fileOf: fileOfTarget,
    help: 'write `file`, `file:function` or `file:function:lines`',
  });
}

function checkPaths(
  value: JsonValue | undefined,
  given: {
    readonly at: readonly (string | number)[];
    readonly report: Report;
    readonly fileOf?: (text: string) => string;
    readonly help?: string;
  },
): void {
  texts(value).forEach((each, index) => {
    const path = given.fileOf?.(each) ?? each;
    const reason = whyNotConcrete(path);
    if (reason === undefined) return;
    const help = given.help === undefined ? {} : { help: given.help };
    given.report('task/focus-path', [...given.at, index], `names \`${path}\`, which ${reason}`, {
      ...help,
      ...WARNING,
    });
  });
}
