/** What a prompt tells of earlier turns: the recent ones whole, older ones as their summaries, within a number of tokens. */
import type { Turn } from '../turn.ts';
import { estimateTokens } from './tokens.ts';

const SUMMARY_TEXT = 240;
const SUMMARY_INPUT = 80;
const EARLIER = '## Earlier iterations, in short\n\n';
const RECENT = '## Recent iterations\n\n';
const TITLES = `${EARLIER}${RECENT}- iterations 1 to 100000 are left out; the files of the conversation have them\n`;
/** What the titles alone need. */
const LEAST_TOKENS = estimateTokens(TITLES);

/** The last turn's results stand in a section of their own. */
export function contextWithin(turns: readonly Turn[], tokens: number): string {
  if (turns.length === 0 || tokens < LEAST_TOKENS) return '';
  const wholes = turns.map((turn, index) => wholeTurn(turn, index < turns.length - 1));
  const summaries = turns.map((turn) => `- ${summaryOf(turn)}`);
  let left = tokens - LEAST_TOKENS;
  const costs = summaries.map((summary) => estimateTokens(`${summary}\n`));
  // Every turn is told at least by its summary, the newest first; then as many of the newest as fit are told whole.
  let firstTold = turns.length;
  while (firstTold > 0 && left >= (costs[firstTold - 1] ?? 0)) {
    firstTold -= 1;
    left -= costs[firstTold] ?? 0;
  }
  let firstWhole = turns.length;
  while (firstWhole > firstTold) {
    const more = estimateTokens(`${wholes[firstWhole - 1]}\n`) - (costs[firstWhole - 1] ?? 0);
    if (more > left) break;
    left -= more;
    firstWhole -= 1;
  }
  return render({
    leftOut: firstTold,
    summaries: summaries.slice(firstTold, firstWhole),
    wholes: wholes.slice(firstWhole),
  });
}

function render(told: {
  readonly leftOut: number;
  readonly summaries: readonly string[];
  readonly wholes: readonly string[];
}): string {
  const { leftOut, summaries, wholes } = told;
  const gone = leftOut === 0 ? [] : [`- ${goneText(leftOut)}; the files of the conversation have them`];
  const short = [...gone, ...summaries];
  const parts = [
    ...(short.length === 0 ? [] : [`${EARLIER}${short.join('\n')}\n`]),
    ...(wholes.length === 0 ? [] : [`${RECENT}${wholes.join('\n')}`]),
  ];
  return parts.join('\n').trimEnd();
}

function goneText(count: number): string {
  return count === 1 ? 'iteration 1 is left out' : `iterations 1 to ${count} are left out`;
}

function wholeTurn(turn: Turn, withResults: boolean): string {
  const asked = turn.requests.map(
    ({ id, name, input }) => `You asked for \`${name}\` (${id}): ${JSON.stringify(input)}\n`,
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

/** One line. */
export function summaryOf(turn: Turn): string {
  const said = oneLine(turn.text, SUMMARY_TEXT);
  const inputs = new Map(turn.requests.map((request) => [request.id, request.input]));
  const done = turn.results.map((result) => {
    const input = inputs.get(result.tool_use_id);
    const given = input === undefined ? '' : ` ${oneLine(JSON.stringify(input), SUMMARY_INPUT)}`;
    return `${result.tool_name}${given} → ${result.status}`;
  });
  const parts = [...(said === '' ? [] : [said]), ...(done.length === 0 ? [] : [`tools: ${done.join('; ')}`])];
  return `iteration ${turn.iteration}: ${parts.length === 0 ? 'nothing was said' : parts.join(' — ')}`;
}

function oneLine(text: string, longest: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest).trimEnd()}…` : line;
}
