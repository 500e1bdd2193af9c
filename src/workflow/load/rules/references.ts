/** Checks that each `${…}` names something that is available at its place. */
import { nearest } from '../../../model/suggest.ts';
import { choice, list } from '../../../store/yaml/shape/describe-shape.ts';
import type { Reference, TemplateProblem } from '../../../template/template.ts';
import { PROMPT } from '../../definition.ts';
import type { Code } from '../codes.ts';
import { loopItems, matrixOf, type StepScope } from '../step-index.ts';
import { checkMember, findStep } from '../step-members.ts';
import type { OpenContext } from '../workflow-file.ts';
import { type Check, stepsOf } from './rule.ts';

const RUN_MEMBERS = ['timestamp_utc', 'id', 'root'];
const LOOP_MEMBERS = ['index', 'total'];
export const NAMESPACES: readonly string[] = ['run', 'loop', 'steps', 'context'];

/** A text in which variables are substituted. */
export interface Site {
  readonly container: object;
  readonly key: string | number;
  readonly text: string;
  readonly scope: StepScope;
  readonly reader: string;
  /** Part of a provider, which steps in any loop may use. In its command, a single word is a parameter. */
  readonly provider?: 'command' | 'defaults';
  /** The step, or one around it, has a `when`: it may run only if a value is defined. */
  readonly isConditional?: boolean;
  /** It only asks whether the variable has a value. */
  readonly mayBeUndefined?: boolean;
}

export function reportProblem(check: Check, site: Site, problem: TemplateProblem): void {
  check.report.error(problem.code as Code, rangeOf(check, site, problem), {
    message: problem.message,
    help: problem.help,
  });
}

function rangeOf(check: Check, site: Site, part: { readonly start: number; readonly end: number }) {
  return check.file.places.partRange(site.container, site.key, {
    text: site.text,
    start: part.start,
    end: part.end,
  });
}

/** The name inside the braces. */
function nameRange(check: Check, site: Site, reference: Reference) {
  const range = rangeOf(check, site, reference);
  const isExact = range.end - range.start === reference.end - reference.start;
  return isExact ? { ...range, start: range.start + 2, end: range.end - 1 } : range;
}

export function checkReference(check: Check, site: Site, reference: Reference): void {
  const [root = '', key] = reference.path;
  if (root === 'run') checkRun(check, site, reference);
  else if (root === 'loop') checkLoop(check, site, reference);
  else if (root === 'matrix') checkMatrix(check, site, reference);
  else if (root === 'context') checkContextKey(check, site, reference);
  else if (root === 'steps') checkStepReference(check, site, reference);
  else if (root === 'env') {
    report(check, site, {
      reference,
      code: 'template/env-namespace',
      problem: 'environment variables are not substituted',
      help: `list \`${key ?? 'NAME'}\` under \`secrets\` or set it under \`env\`, and let the program read it from its environment`,
    });
  } else checkWord(check, site, reference);
}

function checkStepReference(check: Check, site: Site, reference: Reference): void {
  const [, name, member, ...rest] = reference.path;
  if (name === undefined || member === undefined) {
    report(check, site, {
      reference,
      code: 'template/unknown-variable',
      problem: 'a step is read as `steps.<name>.<member>`',
    });
    return;
  }
  const reading = {
    reader: site.reader,
    scope: site.scope,
    path: { name, member, rest },
    range: () => nameRange(check, site, reference),
  };
  const step = findStep(check, reading);
  if (step !== undefined) checkMember(check, step, reading);
}

function checkRun(check: Check, site: Site, reference: Reference): void {
  const [, member = '', ...rest] = reference.path;
  if (RUN_MEMBERS.includes(member) && rest.length === 0) return;
  const meant = nearest(member, RUN_MEMBERS);
  report(check, site, {
    reference,
    code: 'template/unknown-variable',
    problem: `\`run\` only has ${list(RUN_MEMBERS)}`,
    help: meant === undefined ? undefined : `did you mean \`run.${meant}\`?`,
  });
}

function checkLoop(check: Check, site: Site, reference: Reference): void {
  const path = reference.path.slice(1);
  const outer = path.findIndex((segment) => segment !== 'outer');
  const [member = '', ...rest] = outer === -1 ? [] : path.slice(outer);
  if (outer > 0 && member === 'item' ? false : !LOOP_MEMBERS.includes(member) || rest.length > 0) {
    const meant = nearest(member, LOOP_MEMBERS);
    report(check, site, {
      reference,
      code: 'template/unknown-variable',
      problem: `\`loop\` only has ${list([...LOOP_MEMBERS, 'outer'])}`,
      help: meant === undefined ? undefined : `did you mean \`loop.${meant}\`?`,
    });
  } else if (loopItems(site.scope).length <= outer && site.provider === undefined) {
    outsideLoop(check, site, reference);
  }
}

function checkMatrix(check: Check, site: Site, reference: Reference): void {
  if (site.provider !== undefined) return;
  const names = matrixOf(site.scope);
  const [, name = ''] = reference.path;
  if (names?.includes(name) === true) return;
  const meant = nearest(name, names ?? []);
  report(check, site, {
    reference,
    code: names === undefined ? 'template/outside-loop' : 'template/unknown-variable',
    problem: names === undefined ? 'there is no `matrix` here' : `the matrix only has ${list(names)}`,
    help:
      names === undefined
        ? 'it is only available inside a `for_each` with `matrix`'
        : meant === undefined
          ? undefined
          : `did you mean \`matrix.${meant}\`?`,
  });
}

function outsideLoop(check: Check, site: Site, reference: Reference): void {
  report(check, site, {
    reference,
    code: 'template/outside-loop',
    problem: reference.path[1] === 'outer' ? 'there is no such loop around it' : 'there is no loop here',
    help: 'it is only available inside a `for_each` or `repeat`',
  });
}

function checkContextKey(check: Check, site: Site, reference: Reference): void {
  const [, key] = reference.path;
  if (key === undefined) {
    report(check, site, {
      reference,
      code: 'template/unknown-variable',
      problem: 'a context value is read as `context.<key>`',
    });
  } else {
    const isOptional = reference.fallback !== undefined || site.mayBeUndefined === true;
    if (!isOptional && site.isConditional !== true) checkOptionalInput(check, site, { reference, key });
    noteContextKey(check, { key, range: nameRange(check, site, reference), isOptional });
  }
}

function checkOptionalInput(
  check: Check,
  site: Site,
  { reference, key }: { readonly reference: Reference; readonly key: string },
): void {
  const { inputs = {}, context = {} } = check.file.source;
  const input = Object.hasOwn(inputs, key) && !Object.hasOwn(context, key) ? inputs[key] : undefined;
  if (input?.required !== false || input.default !== undefined) return;
  check.report.warning('template/optional-input', nameRange(check, site, reference), {
    message: `${site.reader} reads \`${reference.text}\`, which is undefined if the optional input \`${key}\` is not given`,
    help: `give the input a \`default\`, or write \`\${${reference.text}:-…}\``,
  });
}

/** Remembers a context key that is read, if the file does not set it. */
export function noteContextKey(check: Check, open: OpenContext): void {
  const { context = {}, inputs = {} } = check.file.source;
  if (Object.hasOwn(context, open.key) || Object.hasOwn(inputs, open.key)) return;
  check.file.openContext.push(open);
}

/** Checks a single word: a loop's item or a provider's parameter. */
function checkWord(check: Check, site: Site, reference: Reference): void {
  const [word = ''] = reference.path;
  const items = loopItems(site.scope);
  if (items.includes(word) || (word === 'item' && items.length > 0)) return;
  if (site.provider === 'command' && reference.path.length === 1) return;
  if (word === 'item' || stepsOf(check).some(({ step }) => step.for_each?.as === word)) {
    if (site.provider === undefined) outsideLoop(check, site, reference);
  } else if (word === PROMPT) {
    report(check, site, {
      reference,
      code: 'template/unknown-variable',
      problem: `\`${PROMPT}\` is only available in the command of a provider`,
      help: 'the prompt is also passed on standard input',
    });
  } else unknownNamespace(check, site, reference);
}

function unknownNamespace(check: Check, site: Site, reference: Reference): void {
  const [word = '', ...rest] = reference.path;
  const roots = [...NAMESPACES, ...loopItems(site.scope)];
  const near = nearest(word, roots);
  const meant = Object.hasOwn({ ...check.file.source.context, ...check.file.source.inputs }, word)
    ? `context.${reference.text}`
    : near === undefined
      ? undefined
      : [near, ...rest].join('.');
  report(check, site, {
    reference,
    code: 'template/unknown-namespace',
    problem: `variables start with ${choice(roots)}`,
    help:
      meant === undefined
        ? `for a literal \`\${\` or a shell expansion, write \`$\${${reference.text}}\``
        : `did you mean \`${meant}\`?`,
  });
}

interface Refused {
  readonly reference: Reference;
  readonly code: Code;
  readonly problem: string;
  readonly help?: string | undefined;
}

function report(check: Check, site: Site, { reference, code, problem, help }: Refused): void {
  check.report.error(code, nameRange(check, site, reference), {
    message: `${site.reader} reads \`${reference.text}\`, but ${problem}`,
    help,
  });
}
