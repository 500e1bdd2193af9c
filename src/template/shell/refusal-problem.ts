import type { Reference, TemplateProblem } from '../template.ts';
import { type Refusal, WHERE } from './refusal.ts';

/** How a reference is written: `${name}` in workflows, `[name]` in tasks, `{{name}}` in tools. */
export type Spelling = 'variables' | 'brackets' | 'tokens';

export interface RefusalContext {
  readonly spelling: Spelling;
  /** Why the script could not be parsed. */
  readonly reason?: string | undefined;
  /** How the value gets there: through a variable of the script, or passed to the script as `$1` or by name. */
  readonly way?: 'variable' | { readonly name: string };
}

/** Explains why a reference is rejected and how to pass the value instead. */
export function refusalProblem(
  reference: Reference,
  refusal: Refusal,
  context: RefusalContext,
): TemplateProblem {
  const written = spell(reference, context.spelling);
  const because = refusal === 'unreadable' && context.reason !== undefined ? ` (${context.reason})` : '';
  return {
    code: refusal === 'option' ? 'template/value-as-option' : 'template/value-as-code',
    message: `\`${written}\` ${wayOf(context)} ${WHERE[refusal]}${because}`,
    start: reference.start,
    end: reference.end,
    help: helpFor(reference, refusal, context),
  };
}

/** Explains why a value from the environment is rejected. */
export function variableProblem(
  name: string,
  {
    refusal,
    reason,
    at,
  }: { readonly refusal: Refusal; readonly reason?: string | undefined; readonly at: number },
): TemplateProblem {
  const because = refusal === 'unreadable' && reason !== undefined ? ` (${reason})` : '';
  return {
    code: 'template/value-as-code',
    message: `the value of \`$${name}\` may end up ${WHERE[refusal]}${because}`,
    start: at,
    end: at,
    help: COMPUTES.has(refusal) ? numberHelp(name) : `use it as data only, as in \`"$${name}"\``,
  };
}

function wayOf({ way }: RefusalContext): string {
  if (way === undefined) return 'is used';
  return way === 'variable' ? 'may end up' : `is \`$${way.name}\` of the script and may end up`;
}

function spell(reference: Reference, spelling: Spelling): string {
  if (spelling === 'brackets') return `[${reference.text}]`;
  return spelling === 'tokens' ? `{{${reference.text}}}` : `\${${reference.text}}`;
}

const COMPUTES: ReadonlySet<Refusal> = new Set(['arithmetic', 'subscript', 'integer']);

/** The check that `flow/number-check.ts` recognises. */
function numberHelp(name: string): string {
  return `check that it is a number at the top of the script: \`case $${name} in ''|*[!0-9]*) exit 2 ;; esac\``;
}

function helpFor(reference: Reference, refusal: Refusal, context: RefusalContext): string {
  const { spelling, way } = context;
  const written = spell(reference, spelling);
  const name = typeof way === 'object' ? way.name : variableName(reference);
  switch (refusal) {
    case 'option':
      return typeof way === 'object' || way === 'variable'
        ? `put \`--\` before it: \`-- "$${name}"\``
        : 'put `--` before it, or start the word with text such as `./`';
    case 'after-backslash':
      return spelling === 'variables'
        ? `remove the backslash; for a literal \`\${\` write \`$\${\``
        : 'remove the backslash';
    case 'after-variable':
      return spelling === 'variables'
        ? 'write the variable before it with braces, as `$${NAME}`'
        : 'write the variable before it with braces';
    case 'unreadable':
      return spelling === 'variables'
        ? `write that part in another way, or move the script to a file and pass the value as an argument: \`["./script.sh", "${written}"]\``
        : 'write that part in another way, or move the script to a file and pass the value as an argument';
    case 'command-name':
      return 'write the name of the program, and choose with `case` or the `when` of a step';
    default:
      // Partial: for the others, the advice depends on where the value is used.
      break;
  }
  if (refusal === 'test-operator' && way !== undefined) {
    return `quote it, \`"$${name}"\`, and write one test at a time, joined by \`&&\` or \`||\``;
  }
  if (COMPUTES.has(refusal)) return computingHelp(reference, context, name);
  if (way !== undefined) {
    return spelling === 'brackets'
      ? 'use it as data only'
      : `move the script to a file and pass the value as an argument: \`["./script.sh", "${written}"]\``;
  }
  if ((refusal === 'code' || refusal === 'nested-script') && spelling !== 'brackets') {
    return `pass it as an argument after the code, or through the environment: \`["env", "${name}=${written}", …]\``;
  }
  const isHeredoc = refusal === 'heredoc' && spelling === 'variables';
  return `${besideHelp(reference, spelling)}${isHeredoc ? ' in a heredoc without quotes around its delimiter' : ''}`;
}

function computingHelp(reference: Reference, { spelling, way }: RefusalContext, name: string): string {
  if (way === 'variable') {
    return `check that it is a number first: \`v=${spell(reference, spelling)}; case $v in ''|*[!0-9]*) exit 2 ;; esac\``;
  }
  if (way !== undefined) return numberHelp(name);
  return `${besideHelp(reference, spelling)}, and ${numberHelp(spelling === 'tokens' ? '1' : name)}`;
}

/** Advice to pass the value to the script instead of inserting it. */
function besideHelp(reference: Reference, spelling: Spelling): string {
  if (spelling === 'brackets')
    return `use the environment variable instead: \`"$${variableName(reference)}"\``;
  if (spelling === 'variables') {
    const name = variableName(reference);
    return `assign it to a variable first, \`${name}=${spell(reference, spelling)}\`, and use \`"$${name}"\``;
  }
  return `pass it as an argument of the script: \`["bash", "-c", "… \\"$1\\" …", "_", "${spell(reference, spelling)}"]\``;
}

/** `steps.Plan.json.title` → `title`. */
export function variableName(reference: Reference): string {
  const last = reference.path.findLast((segment) => /[A-Za-z]/.test(segment)) ?? 'value';
  return last.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=[0-9])/, '_');
}
