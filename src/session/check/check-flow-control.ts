import { defined } from '../../model/defined.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { isToolCall, parseCommand, scriptOf } from '../document/command.ts';
import { ERROR_STRATEGIES, STEP_NAME, strategyOf } from '../document/flow.ts';
import type { JsonPath } from '../document/locate-json.ts';
import { analyse, mayBeSet } from '../document/script.ts';
import { checkText, checkTexts, type Report, WARNING } from './report.ts';

const CRITERION = /^(?:exit_code:\d{1,3}|contains:[\s\S]+)$/;
export const ACCEPTANCE_COMMAND = /^command:\s*/;

/** Where the parts stand in the document. */
export interface FlowPlaces {
  readonly analysis: JsonPath;
  readonly approach: JsonPath;
}

export function checkFlowControl(flow: JsonObject, places: FlowPlaces, report: Report): void {
  const outputs = checkPreAnalysis(flow['pre_analysis'], places.analysis, report);
  checkApproach(flow['implementation_approach'], places.approach, { outputs, report });
}

/** Returns the names of the steps' outputs. */
function checkPreAnalysis(value: JsonValue | undefined, at: JsonPath, report: Report): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    report('task/flow-control', at, 'must be a list of steps with `step`, `action` and `command`', WARNING);
    return [];
  }
  const outputs: string[] = [];
  const names = new Set<string>();
  value.forEach((step: JsonValue, index) => {
    const place = [...at, index];
    if (!isJsonObject(step)) {
      report('task/flow-control', place, 'must be an object', WARNING);
      return;
    }
    checkName(step['step'], { place, names, report });
    if (typeof step['action'] !== 'string') missing('action', place, report);
    checkCommands(step, place, { outputs, report });
    checkStrategy(step, place, report);
    const output = step['output_to'];
    if (output === undefined || output === null || output === '') return;
    if (typeof output === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(output) && mayBeSet(output))
      outputs.push(output);
    else
      report('task/flow-control', [...place, 'output_to'], 'must be a name of letters, digits and `_`', {
        help: 'use at least one lower-case letter: all-caps environment variables control programs',
        ...WARNING,
      });
  });
  return outputs;
}

function checkName(
  name: JsonValue | undefined,
  given: { readonly place: JsonPath; readonly names: Set<string>; readonly report: Report },
): void {
  const { place, names, report } = given;
  if (name === undefined) {
    missing('step', place, report);
    return;
  }
  if (typeof name !== 'string' || !STEP_NAME.test(name)) {
    report(
      'task/flow-control',
      [...place, 'step'],
      'must be a name of letters, digits, `_`, `.` and `-`',
      WARNING,
    );
  } else if (names.has(name)) {
    report(
      'task/flow-control',
      [...place, 'step'],
      `is \`${name}\`, the name of an earlier step; step names must be unique`,
      WARNING,
    );
  } else names.add(name);
}

function checkCommands(
  step: JsonObject,
  place: JsonPath,
  given: { readonly outputs: readonly string[]; readonly report: Report },
): void {
  const { command, commands } = step;
  const { report } = given;
  if (command === undefined && commands === undefined) {
    missing('command', place, report);
    return;
  }
  if (command !== undefined) checkCommand(command, [...place, 'command'], given);
  if (commands === undefined) return;
  if (command !== undefined)
    report(
      'task/flow-control',
      [...place, 'commands'],
      'cannot be combined with `command`; use one of them',
      WARNING,
    );
  if (!Array.isArray(commands) || commands.length === 0) {
    report('task/flow-control', [...place, 'commands'], 'must be a list of commands', WARNING);
    if (typeof commands === 'string') checkCommand(commands, [...place, 'commands'], given);
    return;
  }
  commands.forEach((each: JsonValue, index) => {
    checkCommand(each, [...place, 'commands', index], given);
  });
}

function checkCommand(
  command: JsonValue,
  at: JsonPath,
  { outputs, report }: { readonly outputs: readonly string[]; readonly report: Report },
): void {
  if (typeof command !== 'string') {
    report('task/flow-control', at, 'must be a string', WARNING);
    return;
  }
  const parsed = parseCommand(command);
  if (parsed.type === 'bash') checkScript(parsed.script, at, { outputs, report });
  if (parsed.type !== 'for-agent' || /^mcp__\w/.test(parsed.text)) return;
  report(
    'task/flow-control',
    at,
    'is not run: it has none of the forms `bash(<script>)`, `Read(<path>)`, `Glob(<pattern>)` and `Grep(<pattern>, <path>)`',
    {
      help: `write \`bash(${firstLine(command)})\` to run it; otherwise the agent gets it as context to gather`,
      ...WARNING,
    },
  );
}

export function checkScript(
  script: string,
  at: JsonPath,
  { outputs, report }: { readonly outputs: readonly string[]; readonly report: Report },
): void {
  for (const problem of analyse(script, outputs).problems) {
    report('task/flow-control', at, `cannot be run safely: ${problem.message}`, {
      ...defined({ help: problem.help }),
    });
  }
}

function checkStrategy(step: JsonObject, place: JsonPath, report: Report): void {
  const { on_error: strategy, success_criteria: criteria } = step;
  if (strategy !== undefined && !ERROR_STRATEGIES.some((word) => word === strategy)) {
    report('task/flow-control', [...place, 'on_error'], `must be one of ${ERROR_STRATEGIES.join(', ')}`, {
      help: `it is read as \`${strategyOf(strategy)}\``,
      ...WARNING,
    });
  }
  const all = Array.isArray(criteria) ? criteria : criteria === undefined ? [] : [criteria];
  if (all.some((each) => typeof each !== 'string' || !CRITERION.test(each)))
    report(
      'task/flow-control',
      [...place, 'success_criteria'],
      'must be `exit_code:<n>` or `contains:<text>`',
      WARNING,
    );
}

function checkApproach(
  value: JsonValue | undefined,
  at: JsonPath,
  given: { readonly outputs: readonly string[]; readonly report: Report },
): void {
  const { outputs, report } = given;
  if (value === undefined || value === null || typeof value === 'string') return;
  if (Array.isArray(value)) {
    const names: string[] = [];
    value.forEach((step: JsonValue, index) => {
      if (isJsonObject(step)) checkApproachStep(step, [...at, index], { names, outputs, report });
      else if (typeof step !== 'string')
        report('task/flow-control', [...at, index], 'must be an object', WARNING);
      names.push(String((isJsonObject(step) ? step['step'] : undefined) ?? index + 1));
    });
  } else if (isJsonObject(value)) {
    if (value['task_description'] !== undefined)
      checkText(value['task_description'], [...at, 'task_description'], report);
    checkTexts(value['modification_points'], [...at, 'modification_points'], report);
    checkTexts(value['logic_flow'], [...at, 'logic_flow'], report);
  } else report('task/flow-control', at, 'must be an object or a list of steps', WARNING);
}

function checkApproachStep(
  step: JsonObject,
  at: JsonPath,
  given: { readonly names: readonly string[]; readonly outputs: readonly string[]; readonly report: Report },
): void {
  const { report } = given;
  checkTexts(step['modification_points'], [...at, 'modification_points'], report);
  checkTexts(step['logic_flow'], [...at, 'logic_flow'], report);
  const { command, depends_on } = step;
  if (Array.isArray(depends_on)) {
    depends_on.forEach((each: JsonValue, index) => {
      if (!given.names.includes(String(each)))
        report(
          'task/flow-control',
          [...at, 'depends_on', index],
          `names \`${each}\`, which is not an earlier step`,
          WARNING,
        );
    });
  }
  if (command === undefined || command === null || command === '') return;
  if (typeof command !== 'string') {
    report('task/flow-control', [...at, 'command'], 'must be a string', WARNING);
    return;
  }
  if (!isToolCall(command)) checkScript(scriptOf(command) ?? command, [...at, 'command'], given);
}

function missing(field: string, place: JsonPath, report: Report): void {
  report('task/flow-control', place, `has no \`${field}\``, WARNING);
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return line.length < text.length ? `${line}…` : line;
}
