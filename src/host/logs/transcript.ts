/** A part of the recorded stream of an agent, as events. */
import { ADAPTERS } from '../../agents/adapters/all.ts';
import { createEventStream } from '../../agents/read-events.ts';
import { AGENT_NAMES, type AgentEvent } from '../../model/agent.ts';
import { logSize, readLog } from '../../operations/runs/read-log.ts';

export interface Transcript {
  readonly events: readonly AgentEvent[];
  /** Where the next part starts: always at a line. */
  readonly next: number;
  readonly size: number;
}

const NEWLINE = 10;

/** `from` is 0 or a `next`. Undefined if the agent has no structured stream. */
export function readTranscript(
  path: string,
  asked: { readonly adapter: string; readonly from: number; readonly bytes: number },
): Transcript | undefined {
  const agent = AGENT_NAMES.find((name) => name === asked.adapter);
  if (agent === undefined) return undefined;
  const size = logSize(path);
  const pieces: Buffer[] = [];
  for (const piece of readLog(path, { from: asked.from, to: asked.from + asked.bytes }))
    pieces.push(Buffer.from(piece));
  const bytes = Buffer.concat(pieces);
  const isLast = asked.from + bytes.length >= size;
  const end = isLast ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1;
  const stream = createEventStream(ADAPTERS[agent].createReader(), { wholeToolResults: true });
  const events = [...stream.push(bytes.subarray(0, end)), ...stream.end()];
  // A line longer than a part is skipped.
  return { events, next: asked.from + (end === 0 ? bytes.length : end), size };
}
