import type { Reference, TemplateProblem } from '../template.ts';
import { type Refusal, WHERE } from './refusal.ts';

/** How a reference was written: `${name}` of workflows, `[name]` of tasks, `{{name}}` of tools. */
export type Spelling = 'variables' | 'brackets' | 'tokens';

export interface RefusalContext {
  readonly spelling: Spelling;
  /** What made the script unreadable. */
  readonly reason?: string | undefined;
}

/** The words for a refused reference, and the way to get the value in all the same. */
export function refusalProblem(
  reference: Reference,
  refusal: Refusal,
  context: RefusalContext,
): TemplateProblem {
  const written = spell(reference, context.spelling);
  const because = refusal === 'unreadable' && context.reason !== undefined ? ` (${context.reason})` : '';
  return {
    code: refusal === 'option' ? 'template/value-as-option' : 'template/value-as-code',
    message: `\`${written}\` stands ${WHERE[refusal]}${because}`,
    start: reference.start,
    end: reference.end,
    help: helpFor(reference, refusal, context.spelling),
  };
}

function spell(reference: Reference, spelling: Spelling): string {
  if (spelling === 'brackets') return `[${reference.text}]`;
  return spelling === 'tokens' ? `{{${reference.text}}}` : `\${${reference.text}}`;
}

function helpFor(reference: Reference, refusal: Refusal, spelling: Spelling): string {
  const written = spell(reference, spelling);
  const name = variableName(reference);
  const environment =
    spelling === 'brackets'
      ? `it is in the environment too: write \`"$${name}"\``
      : `pass it in the environment: \`["env", "${name}=${written}", "bash", "-c", "… \\"$${name}\\" …"]\``;
  switch (refusal) {
    case 'option':
      return `put \`--\` before it, or begin the word with text such as \`./\``;
    case 'after-backslash':
      return spelling === 'variables'
        ? `remove the backslash; for a literal \`\${\` write \`$\${\``
        : 'remove the backslash';
    case 'after-variable':
      return spelling === 'variables'
        ? 'write the variable before it with braces, as `$${NAME}`'
        : 'write the variable before it with braces';
    case 'command-name':
      return 'name the program in the script and choose with `case` or a condition of the step';
    case 'arithmetic':
    case 'subscript':
    case 'integer':
    case 'test-operator':
      return `${environment}, and check that it is a number before computing with it: \`case $${name} in *[!0-9]*|'') exit 2 ;; esac\``;
    default:
      return environment;
  }
}

/** `steps.Plan.json.title` → `title`. */
function variableName(reference: Reference): string {
  const last = reference.path.findLast((segment) => /[A-Za-z]/.test(segment)) ?? 'value';
  return last.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=[0-9])/, '_');
}
