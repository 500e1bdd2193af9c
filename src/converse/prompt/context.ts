/** The earlier turns in a prompt, within a token budget: recent ones in full, older ones as summaries. */
import type { Turn } from '../turn.ts';
import { estimateTokens } from './tokens.ts';

const SUMMARY_TEXT = 240;
const SUMMARY_INPUT = 80;
const EARLIER = '## Summary of earlier iterations\n\n';
const RECENT = '## Recent iterations\n\n';
const TITLES = `${EARLIER}${RECENT}- iterations 1 to 100000 are omitted; see the files of the conversation\n`;
/** The tokens of the titles alone. */
const LEAST_TOKENS = estimateTokens(TITLES);

/** The last turn's results have their own section. */
export function contextWithin(turns: readonly Turn[], tokens: number): string {
  if (turns.length === 0 || tokens < LEAST_TOKENS) return '';
  const wholes = turns.map((turn, index) => wholeTurn(turn, index < turns.length - 1));
  const summaries = turns.map((turn) => `- ${summaryOf(turn)}`);
  let left = tokens - LEAST_TOKENS;
  const costs = summaries.map((summary) => estimateTokens(`${summary}\n`));
  // Every turn gets at least its summary, newest first; then as many of the newest as fit are included in full.
  let firstShown = turns.length;
  while (firstShown > 0 && left >= (costs[firstShown - 1] ?? 0)) {
    firstShown -= 1;
    left -= costs[firstShown] ?? 0;
  }
  let firstWhole = turns.length;
  while (firstWhole > firstShown) {
    const more = estimateTokens(`${wholes[firstWhole - 1]}\n`) - (costs[firstWhole - 1] ?? 0);
    if (more > left) break;
    left -= more;
    firstWhole -= 1;
  }
  return render({
    leftOut: firstShown,
    summaries: summaries.slice(firstShown, firstWhole),
    wholes: wholes.slice(firstWhole),
  });
}

function render(history: {
  readonly leftOut: number;
  readonly summaries: readonly string[];
  readonly wholes: readonly string[];
}): string {
  const { leftOut, summaries, wholes } = history;
  const gone = leftOut === 0 ? [] : [`- ${goneText(leftOut)}; see the files of the conversation`];
  const short = [...gone, ...summaries];
  const parts = [
    ...(short.length === 0 ? [] : [`${EARLIER}${short.join('\n')}\n`]),
    ...(wholes.length === 0 ? [] : [`${RECENT}${wholes.join('\n')}`]),
  ];
  return parts.join('\n').trimEnd();
}

function goneText(count: number): string {
  return count === 1 ? 'iteration 1 is omitted' : `iterations 1 to ${count} are omitted`;
}

function wholeTurn(turn: Turn, withResults: boolean): string {
  const asked = turn.requests.map(
    ({ id, name, input }) => `You requested \`${name}\` (${id}): ${JSON.stringify(input)}\n`,
  );
  const results = withResults
    ? turn.results.map(
        (result) =>
          `Result of \`${result.tool_name}\` (${result.tool_use_id}), ${result.status}:\n${result.output}\n`,
      )
    : [];
  const said = turn.text === '' ? '' : `You said: ${turn.text}\n`;
  return `### Iteration ${turn.iteration}\n\n${said}${asked.join('')}${results.join('')}`;
}

/** A summary on one line. */
export function summaryOf(turn: Turn): string {
  const said = oneLine(turn.text, SUMMARY_TEXT);
  const inputs = new Map(turn.requests.map((request) => [request.id, request.input]));
  const done = turn.results.map((result) => {
    const input = inputs.get(result.tool_use_id);
    const given = input === undefined ? '' : ` ${oneLine(JSON.stringify(input), SUMMARY_INPUT)}`;
    return `${result.tool_name}${given} → ${result.status}`;
  });
  const parts = [...(said === '' ? [] : [said]), ...(done.length === 0 ? [] : [`tools: ${done.join('; ')}`])];
  return `iteration ${turn.iteration}: ${parts.length === 0 ? 'no answer' : parts.join(' — ')}`;
}

function oneLine(text: string, longest: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest).trimEnd()}…` : line;
}
