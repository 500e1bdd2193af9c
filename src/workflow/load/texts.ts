/** Collects every text of a step that contains `${…}` or names files, with its place. */
import { COMPARISONS, type ConditionSource } from '../schema/condition.ts';
import type { StepSource } from '../schema/step.ts';
import { scriptArgv } from './script-argv.ts';
import { innerScope, type StepPlace, type StepScope } from './step-index.ts';

export interface TextPlace {
  readonly container: object;
  readonly key: string | number;
  readonly text: string;
  /** `path`: a file or folder. `glob`: files. Both must stay inside the workspace. */
  readonly use: 'text' | 'path' | 'glob';
  /** The text only asks whether its variable has a value. */
  readonly mayBeUndefined?: boolean;
  readonly scope: StepScope;
}

/** A command line, which is checked as a whole: how a shell reads an argument depends on the others. */
export interface CommandPlace {
  readonly argv: readonly string[];
  readonly scope: StepScope;
  /** Where an argument is in the file. */
  placeOf(index: number): Pick<TextPlace, 'container' | 'key'>;
}

export interface StepTexts {
  readonly place: StepPlace;
  readonly texts: readonly TextPlace[];
  readonly commands: readonly CommandPlace[];
}

export function textsOf(place: StepPlace): StepTexts {
  const { step, scope } = place;
  const texts: TextPlace[] = [];
  const commands: CommandPlace[] = [];

  function add(container: object, key: string | number, use: TextPlace['use'] = 'text'): void {
    const value: unknown = Reflect.get(container, key);
    if (typeof value !== 'string' || value === '') return;
    if (use !== 'text' || value.includes('$')) texts.push({ container, key, text: value, use, scope });
  }
  function addAll(list: readonly unknown[] | undefined, use: TextPlace['use']): void {
    for (const index of (list ?? []).keys()) add(list ?? [], index, use);
  }
  for (const argv of [step.command, step.command_override, step.expect?.command]) {
    if (argv === undefined || !argv.some((argument) => argument.includes('$'))) continue;
    commands.push({ argv, scope, placeOf: (key) => ({ container: argv, key }) });
  }
  const script = scriptArgv(step);
  if (script !== undefined) {
    commands.push({ argv: script, scope, placeOf: () => ({ container: step, key: 'script' }) });
  }
  if (typeof step.isolate === 'object' && typeof step.isolate.commit === 'object')
    add(step.isolate.commit, 'message');
  add(step, 'input_file', 'path');
  add(step, 'output_file', 'path');
  add(step, 'working_dir', 'path');
  for (const value of Object.values(step.values ?? {})) add(value, 'file', 'path');
  add(step, 'prompt');
  add(step, 'system_prompt');
  add(step, 'mcp_config', 'path');
  texts.push(...textsIn(step.provider_params, scope));
  addAll(step.depends_on?.required, 'glob');
  addAll(step.depends_on?.optional, 'glob');
  addAll(step.cache?.inputs, 'glob');
  addAll(step.cache?.key, 'text');
  if (step.expect !== undefined) {
    addAll(step.expect.files, 'glob');
    add(step.expect, 'json_schema', 'path');
  }
  if (step.wait_for !== undefined) add(step.wait_for, 'glob', 'glob');
  if (step.approve !== undefined) add(step.approve, 'message');
  texts.push(...textsIn(step.call?.context, scope), ...textsIn(step.call?.input, scope));
  texts.push(...textsIn(step.for_each?.matrix, scope));
  if (typeof step.for_each?.items === 'string') add(step.for_each, 'items');
  else texts.push(...textsIn(step.for_each?.items, scope));
  if (step.when !== undefined) texts.push(...conditionTexts(step.when, scope));
  if (step.break?.when !== undefined) texts.push(...conditionTexts(step.break.when, scope));
  if (step.end !== undefined) add(step.end, 'message');
  texts.push(...innerTexts(place));
  return { place, texts, commands };
}

/** Texts that see the inner steps: the targets of an item's file, and the `until` of a `repeat`. */
function innerTexts(place: StepPlace): readonly TextPlace[] {
  const { for_each: loop, repeat } = place.step;
  const texts: TextPlace[] = [];
  if (loop?.on_item_complete !== undefined) {
    const scope = innerScope(loop.steps, { place, item: loop.as });
    for (const target of [loop.on_item_complete.success, loop.on_item_complete.failure]) {
      if (target !== undefined && target.move_to !== '') {
        texts.push({ container: target, key: 'move_to', text: target.move_to, use: 'path', scope });
      }
    }
  }
  if (repeat !== undefined) {
    const scope = innerScope(repeat.steps, { place, item: 'iteration' });
    texts.push(...conditionTexts(repeat.until, scope));
  }
  return texts;
}

function conditionTexts(condition: ConditionSource, scope: StepScope): readonly TextPlace[] {
  const texts: TextPlace[] = [];
  for (const operator of COMPARISONS) {
    const sides = condition[operator];
    if (sides === undefined) continue;
    texts.push({ container: sides, key: 'left', text: sides.left, use: 'text', scope });
    texts.push({ container: sides, key: 'right', text: sides.right, use: 'text', scope });
  }
  if (condition.defined !== undefined) {
    const text = condition.defined;
    texts.push({ container: condition, key: 'defined', text, use: 'text', scope, mayBeUndefined: true });
  }
  for (const key of ['exists', 'not_exists'] as const) {
    const glob = condition[key];
    if (glob !== undefined && glob !== '') {
      texts.push({ container: condition, key, text: glob, use: 'glob', scope });
    }
  }
  for (const inner of [...(condition.all ?? []), ...(condition.any ?? [])]) {
    texts.push(...conditionTexts(inner, scope));
  }
  if (condition.not !== undefined) texts.push(...conditionTexts(condition.not, scope));
  return texts;
}

/** The texts in JSON data, at any depth. */
export function textsIn(values: unknown, scope: StepScope): readonly TextPlace[] {
  if (typeof values !== 'object' || values === null) return [];
  return Object.entries(values).flatMap(([name, value]) => {
    if (typeof value !== 'string') return textsIn(value, scope);
    const key = Array.isArray(values) ? Number(name) : name;
    return value.includes('$') ? [{ container: values, key, text: value, use: 'text' as const, scope }] : [];
  });
}

/** All conditions of a step, including nested ones. */
export function conditionsOf(step: StepSource): readonly ConditionSource[] {
  const found: ConditionSource[] = [];
  const open = [step.when, step.repeat?.until, step.break?.when];
  while (open.length > 0) {
    const condition = open.pop();
    if (condition === undefined) continue;
    found.push(condition);
    open.push(...(condition.all ?? []), ...(condition.any ?? []), condition.not);
  }
  return found;
}
