/** The prompt of one iteration: the filled-in template, within the budget, followed by the instructions. */
import { parsePromptTokens } from '../../template/parse-tokens.ts';
import { isReference } from '../../template/template.ts';
import type { ConverseInput } from '../input.ts';
import type { Turn } from '../turn.ts';
import { contextWithin, summaryOf } from './context.ts';
import { BASE_TOKENS } from './default-templates.ts';
import { instructions } from './instructions.ts';
import { resultsSection } from './results-section.ts';
import { estimateTokens } from './tokens.ts';

export interface RenderedPrompt {
  readonly prompt: string;
  /** The new part, for the history: the task, or the full tool results. */
  readonly message: string;
}

const CONTEXT_SHARE = 0.25;
const CONTEXT_TOKENS = 2000;

export function renderPrompt(
  input: ConverseInput,
  iteration: number,
  turns: readonly Turn[],
): RenderedPrompt {
  const last = turns.at(-1);
  const fixed = {
    task_description: input.task,
    iteration: String(iteration),
    previous_summary: last === undefined ? 'none, this is the first iteration' : summaryOf(last),
  };
  const after = instructions(input, iteration);
  const render = (context: string, results: string): string =>
    `${fill(input.templates.basePrompt, { ...fixed, context, tool_results_section: results })}\n${after}`;
  const available = input.limits.contextBudgetTokens - estimateTokens(render('', ''));
  // Long results still leave room for earlier turns.
  const forContext = Math.min(CONTEXT_SHARE * available, CONTEXT_TOKENS);
  const results = resultsSection(last?.results ?? [], input.templates.toolResult, available - forContext);
  const context = contextWithin(turns, available - estimateTokens(results));
  return {
    prompt: render(context, results),
    message:
      last === undefined
        ? input.task
        : resultsSection(last.results, input.templates.toolResult, Number.POSITIVE_INFINITY),
  };
}

/** A token without a value is removed with the empty line after it. */
function fill(template: string, values: { readonly [token: string]: string }): string {
  let text = '';
  let isGone = false;
  for (const part of parsePromptTokens(template, BASE_TOKENS).template) {
    if (isReference(part)) {
      const value = values[part.text] ?? '';
      isGone = value === '' && text.endsWith('\n\n');
      text += value;
    } else {
      text += isGone ? part.replace(/^\n{1,2}/, '') : part;
      isGone = false;
    }
  }
  return text;
}
