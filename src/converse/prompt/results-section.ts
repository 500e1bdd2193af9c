import { parsePromptTokens } from '../../template/parse-tokens.ts';
import { renderTemplate } from '../../template/render.ts';
import { objectScope } from '../../template/scope.ts';
import { HISTORY, TOOL_RESULTS } from '../layout.ts';
import type { ToolResult } from '../turn.ts';
import { RESULT_TOKENS } from './default-templates.ts';
import { cutToTokens, estimateTokens } from './tokens.ts';

const TITLE = '## Previous Tool Execution Results\n\n';
const CLOSING = '\nBased on these results, please proceed.';
const CUT = `\n[… truncated to fit the context; \`${TOOL_RESULTS}\` and \`${HISTORY}\` have the full output]`;

/** Outputs that together exceed the limit are truncated, longest first. */
export function resultsSection(results: readonly ToolResult[], template: string, tokens: number): string {
  if (results.length === 0) return '';
  const frame = render(
    results.map((result) => ({ ...result, output: '' })),
    template,
  );
  const shares = fairShares(
    results.map((result) => estimateTokens(result.output)),
    tokens - estimateTokens(frame),
  );
  const fitting = results.map((result, index) => ({
    ...result,
    output: cutToTokens(result.output, shares[index] ?? 0, CUT),
  }));
  return render(fitting, template);
}

function render(results: readonly ToolResult[], template: string): string {
  const { template: parsed } = parsePromptTokens(template, RESULT_TOKENS);
  const pieces = results.map((result) => {
    const { tool_use_id, tool_name, status, output } = result;
    const rendered = renderTemplate(parsed, objectScope({ tool_use_id, tool_name, status, output }));
    return rendered.type === 'ok' ? rendered.value : '';
  });
  return `${TITLE}${pieces.join('\n')}${CLOSING}`;
}

/** An output shorter than an equal share leaves the rest to the others. */
export function fairShares(wanted: readonly number[], available: number): readonly number[] {
  const shares = wanted.map(() => 0);
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  let left = Math.max(0, available);
  for (const [position, index] of order.entries()) {
    const share = Math.min(wanted[index] ?? 0, Math.floor(left / (order.length - position)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}
