/** What a task's `flow_control` asks for: the steps before the implementation, and the approach. Lenient, like all reading of tasks. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { text, texts } from './fields.ts';

export const ERROR_STRATEGIES = ['skip_optional', 'fail', 'retry_once', 'manual_intervention'] as const;
export type ErrorStrategy = (typeof ERROR_STRATEGIES)[number];

export interface AnalysisStep {
  readonly step: string;
  readonly action: string;
  /** As written: `bash(…)`, `Read(…)`. */
  readonly commands: readonly string[];
  readonly outputTo?: string;
  readonly onError: ErrorStrategy;
  readonly successCriteria: readonly string[];
}

export type Approach =
  | { readonly type: 'none' }
  | {
      readonly type: 'description';
      readonly description: string;
      readonly modificationPoints: readonly string[];
      readonly logicFlow: readonly string[];
    }
  | { readonly type: 'steps'; readonly steps: readonly ApproachStep[] };

export interface ApproachStep {
  readonly step: string;
  readonly title: string;
  readonly description: string;
  readonly modificationPoints: readonly string[];
  readonly logicFlow: readonly string[];
  readonly dependsOn: readonly string[];
  readonly output?: string;
  readonly command?: string;
}

/** A name that can be part of a step key. */
export const STEP_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;

/** Words that other tools use for the four strategies. */
const STRATEGY_WORDS: Readonly<Record<string, ErrorStrategy>> = {
  skip: 'skip_optional',
  continue: 'skip_optional',
  ignore: 'skip_optional',
  warn: 'skip_optional',
  retry: 'retry_once',
  abort: 'fail',
  stop: 'fail',
  ask: 'manual_intervention',
};

export function strategyOf(value: JsonValue | undefined): ErrorStrategy {
  const word = text(value);
  return (
    ERROR_STRATEGIES.find((each) => each === word) ??
    (Object.hasOwn(STRATEGY_WORDS, word) ? STRATEGY_WORDS[word] : undefined) ??
    'fail'
  );
}

/** Every step gets a name that no other has. */
export function readAnalysis(value: JsonValue | undefined): readonly AnalysisStep[] {
  const list: readonly JsonValue[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
  const names = new Set<string>();
  return list.flatMap((source, index) => {
    const step = isJsonObject(source) ? source : typeof source === 'string' ? { command: source } : undefined;
    if (step === undefined) return [];
    const name = freeName(stepName(step['step'], index), names);
    names.add(name);
    return [readAnalysisStep(step, name)];
  });
}

function stepName(value: JsonValue | undefined, index: number): string {
  const word = typeof value === 'number' ? `step-${value}` : text(value);
  if (STEP_NAME.test(word)) return word;
  const name = word
    .slice(0, 100)
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[.-]{1,100}|-{1,100}$/g, '');
  return STEP_NAME.test(name) ? name : `step-${index + 1}`;
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let number = 2; ; number += 1) if (!taken.has(`${name}-${number}`)) return `${name}-${number}`;
}

function readAnalysisStep(source: JsonObject, step: string): AnalysisStep {
  const outputTo = text(source['output_to']).replace(/[^A-Za-z0-9_]+/g, '_');
  const action = text(source['action']);
  const commands = [...texts(source['command']), ...texts(source['commands'])];
  return {
    step,
    action,
    // Without a command it is still something to find out.
    commands: commands.length === 0 && action !== '' ? [action] : commands,
    ...(/^[A-Za-z_]/.test(outputTo) ? { outputTo } : {}),
    onError: strategyOf(source['on_error']),
    successCriteria: texts(source['success_criteria']),
  };
}

export function readApproach(source: JsonValue | undefined): Approach {
  if (Array.isArray(source)) {
    const steps = source.flatMap((each: JsonValue, index) => {
      const step = isJsonObject(each) ? each : typeof each === 'string' ? { title: each } : undefined;
      return step === undefined ? [] : [readApproachStep(step, index)];
    });
    return steps.length === 0 ? { type: 'none' } : { type: 'steps', steps };
  }
  if (typeof source === 'string' && source !== '') {
    return { type: 'description', description: source, modificationPoints: [], logicFlow: [] };
  }
  if (!isJsonObject(source) || Object.keys(source).length === 0) return { type: 'none' };
  return {
    type: 'description',
    description: text(source['task_description']) || text(source['description']),
    modificationPoints: texts(source['modification_points']),
    logicFlow: texts(source['logic_flow']),
  };
}

function readApproachStep(source: JsonObject, index: number): ApproachStep {
  const { step, output, command } = source;
  return {
    step: typeof step === 'number' || typeof step === 'string' ? String(step) : String(index + 1),
    title: text(source['title']),
    description: text(source['description']),
    modificationPoints: texts(source['modification_points']),
    logicFlow: [...texts(source['logic_flow']), ...texts(source['actions'])],
    dependsOn: Array.isArray(source['depends_on']) ? source['depends_on'].map(String) : [],
    ...(typeof output === 'string' && output !== '' ? { output } : {}),
    ...(typeof command === 'string' && command !== '' ? { command } : {}),
  };
}
