/** Checks one task by its document alone: fields, types, form of ids, paths and flow control. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { SourceFile } from '../../model/source.ts';
import { nearest } from '../../model/suggest.ts';
import { fileOfTarget, whyNotConcrete } from '../document/focus.ts';
import { TASK_STATUSES, TASK_TYPES } from '../document/task.ts';
import { parseTaskId } from '../ids.ts';
import { checkFlowControl } from './check-flow-control.ts';
import type { Finding } from './finding.ts';
import { checkText, checkTexts, type Report } from './report.ts';

const CORE_FIELDS = ['id', 'title', 'status', 'meta', 'context', 'flow_control'] as const;

export function checkTask(source: JsonObject, file: SourceFile): readonly Finding[] {
  const findings: Finding[] = [];
  const report: Report = (rule, at, message, more) => findings.push({ rule, file, at, message, ...more });
  for (const field of CORE_FIELDS) {
    if (source[field] === undefined)
      report('task/missing-field', [], `missing field \`${field}\``, { help: FIELD_HELP[field] });
  }
  checkId(source['id'], report);
  checkText(source['title'], ['title'], report);
  checkStatus(source['status'], report);
  checkMeta(source['meta'], report);
  checkContext(source['context'], report);
  if (source['flow_control'] !== undefined) checkFlow(source['flow_control'], report);
  return findings;
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
  if (/^IMPL-\d+(?:\.\d+){2,}$/.test(id)) {
    report('task/too-deep', ['id'], `has more than two levels: \`${id}\``, {
      help: 'use `IMPL-N` for a main task and `IMPL-N.M` for a subtask',
    });
  } else {
    report('task/malformed-id', ['id'], `must have the form \`IMPL-N\` or \`IMPL-N.M\`, not \`${id}\``);
  }
}

function checkStatus(status: JsonValue | undefined, report: Report): void {
  if (status === undefined || TASK_STATUSES.some((word) => word === status)) return;
  const near = typeof status === 'string' ? nearest(status, TASK_STATUSES) : undefined;
  report('task/unknown-status', ['status'], `must be one of ${TASK_STATUSES.join(', ')}`, {
    ...(near === undefined ? {} : { help: `did you mean \`${near}\`?` }),
  });
}

function checkMeta(meta: JsonValue | undefined, report: Report): void {
  if (meta === undefined) return;
  if (!isJsonObject(meta)) {
    report('task/wrong-type', ['meta'], 'must be an object');
    return;
  }
  const { type, agent } = meta;
  if (type !== undefined && !TASK_TYPES.some((word) => word === type)) {
    report('task/unknown-type', ['meta', 'type'], `is not one of ${TASK_TYPES.join(', ')}`, {
      severity: 'warning',
    });
  }
  if (agent !== undefined) checkText(agent, ['meta', 'agent'], report);
}

function checkContext(context: JsonValue | undefined, report: Report): void {
  if (context === undefined) return;
  if (!isJsonObject(context)) {
    report('task/wrong-type', ['context'], 'must be an object');
    return;
  }
  for (const name of ['requirements', 'acceptance', 'depends_on', 'focus_paths']) {
    checkTexts(context[name], ['context', name], report);
  }
  eachText(context['focus_paths'], (path, index) => {
    const reason = whyNotConcrete(path);
    if (reason !== undefined)
      report('task/focus-path', ['context', 'focus_paths', index], `names \`${path}\`, which ${reason}`);
  });
  eachText(context['depends_on'], (id, index) => {
    if (parseTaskId(id) === undefined)
      report(
        'task/missing-dependency',
        ['context', 'depends_on', index],
        `names \`${id}\`, which is not a task id`,
      );
  });
  const { parent, inherited, shared_context } = context;
  if (parent !== undefined && parent !== null && (typeof parent !== 'string' || !parseTaskId(parent)))
    report('task/missing-parent', ['context', 'parent'], 'is not a task id');
  if (inherited !== undefined && inherited !== null) {
    if (!isJsonObject(inherited)) report('task/wrong-type', ['context', 'inherited'], 'must be an object');
    else checkTexts(inherited['context'], ['context', 'inherited', 'context'], report);
  }
  if (shared_context !== undefined && !isJsonObject(shared_context))
    report('task/wrong-type', ['context', 'shared_context'], 'must be an object');
}

function checkFlow(flow: JsonValue, report: Report): void {
  if (!isJsonObject(flow)) {
    report('task/flow-control', ['flow_control'], 'must be an object');
    return;
  }
  checkFlowControl(flow, report);
  checkTexts(flow['target_files'], ['flow_control', 'target_files'], report);
  eachText(flow['target_files'], (target, index) => {
    const reason = whyNotConcrete(fileOfTarget(target));
    if (reason !== undefined)
      report(
        'task/focus-path',
        ['flow_control', 'target_files', index],
        `names \`${fileOfTarget(target)}\`, which ${reason}`,
        { help: 'write `file`, `file:function` or `file:function:lines`' },
      );
  });
}

function eachText(value: JsonValue | undefined, use: (text: string, index: number) => void): void {
  if (!Array.isArray(value)) return;
  value.forEach((each: JsonValue, index) => {
    if (typeof each === 'string') use(each, index);
  });
}
