/**
 * Agents that are started as a plain command, without their stream of events. Of such a call only the text and the exit code are known, and
 * these agents also exit with 0 if every tool was denied to them. So a success of it is not verified.
 */

/** Options with which these agents print their stream of events. */
const STREAM_OPTIONS: { readonly [program: string]: RegExp } = {
  claude: /^(?:--output-format=)?stream-json$/,
  gemini: /^(?:(?:--output-format|-o)=?)?stream-json$/,
  codex: /^--json$/,
  opencode: /^(?:--format=)?json$/,
  copilot: /^(?:--output-format=)?json$/,
  qwen: /^(?:(?:--output-format|-o)=?)?stream-json$/,
};

/** The agent that this command starts without its stream of events. */
export function textOnlyAgent([program = '', ...args]: readonly string[]): string | undefined {
  const agent = program.slice(program.lastIndexOf('/') + 1);
  const streams = Object.hasOwn(STREAM_OPTIONS, agent) ? STREAM_OPTIONS[agent] : undefined;
  return streams === undefined || args.some((argument) => streams.test(argument)) ? undefined : agent;
}

/** The outcome of a step whose agent exited with 0, if nothing else is known of it. */
export const UNVERIFIED = 'unverified';

export const UNVERIFIED_TEXT = 'not verified: only the exit code is known';

/** The status under which a step is shown. */
export function shownStatus(step: {
  readonly status: string;
  readonly outcome?: string | undefined;
}): string {
  return step.status === 'completed' && step.outcome === UNVERIFIED ? UNVERIFIED : step.status;
}
