/** Formats times, durations, money and numbers. Times are UTC, as in run ids. */

export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${twoDigits(seconds % 60)} s`;
  const minutes = Math.round(ms / 60_000);
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`;
  const hours = Math.round(ms / 3_600_000);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** `2026-11-15 21:35:49 UTC`. */
export function momentText(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `21:35:49 UTC (in 2 h 05 min)`; with the date if it is not the day of `now`. */
export function untilText(at: string, now: number): string {
  const moment = momentText(at);
  const today = new Date(now).toISOString().slice(0, 10);
  const time = moment.startsWith(today) ? moment.slice(11) : moment;
  const left = Date.parse(at) - now;
  return left > 0 ? `${time} (in ${durationText(left)})` : time;
}

export function agoText(at: string, now: number): string {
  const ms = now - Date.parse(at);
  return ms < 5000 ? 'just now' : `${durationText(ms).replace(/(\d)\.\d s$/, '$1 s')} ago`;
}

export function usdText(usd: number): string {
  if (usd === 0) return '$0';
  if (usd > 0 && usd < 0.0001) return '<$0.0001';
  return usd < 1 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

export interface Spending {
  /** Sum of the known costs. */
  readonly cost_usd: number;
  readonly agent_calls: number;
  readonly unknown_cost_calls: number;
}

/** An unknown cost is named, never shown as 0. `undefined` if no agent was called. */
export function spendingText(spending: Spending): string | undefined {
  const { cost_usd, agent_calls, unknown_cost_calls } = spending;
  if (agent_calls === 0) return undefined;
  if (unknown_cost_calls === 0) return usdText(cost_usd);
  if (unknown_cost_calls === agent_calls) return 'cost unknown';
  return `${usdText(cost_usd)} + ${countText(unknown_cost_calls, 'call')} of unknown cost`;
}

export interface TokenSum {
  readonly tokens: { readonly input: number; readonly output: number };
  readonly agent_calls: number;
  readonly unknown_token_calls: number;
}

/** False only if it is known that none were used: no agent was called, or only the mock agent. */
export function usesTokens({ tokens, unknown_token_calls }: TokenSum): boolean {
  return tokens.input + tokens.output + unknown_token_calls > 0;
}

/** `1,200 in, 80 out`; `none` if no agent was called. What was not reported is unknown, never 0. */
export function tokensText(spending: TokenSum): string {
  const { tokens, agent_calls, unknown_token_calls: unknown } = spending;
  if (unknown === agent_calls) return agent_calls === 0 ? 'none' : 'unknown';
  const known = `${numberText(tokens.input)} in, ${numberText(tokens.output)} out`;
  return unknown === 0 ? known : `${known} + ${countText(unknown, 'call')} of unknown use`;
}

/** The cost of one step: `$0.0200`, `cost unknown`, or both. */
export function stepCostText(step: {
  readonly cost_usd?: number | null;
  readonly unknown_cost_calls?: number;
}): string | undefined {
  const { cost_usd, unknown_cost_calls: unknown } = step;
  if (cost_usd === undefined) return undefined;
  if (cost_usd === null) return 'cost unknown';
  return unknown === undefined
    ? usdText(cost_usd)
    : `${usdText(cost_usd)} + ${countText(unknown, 'call')} of unknown cost`;
}

export function countText(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

export function numberText(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
