/** Renders the recorded stream of an agent as `--verbose` shows it while it runs. */
import { ADAPTERS } from '../../agents/adapters/all.ts';
import { createEventStream } from '../../agents/read-events.ts';
import type { AgentEvent, AgentName } from '../../model/agent.ts';
import { AgentText } from '../loops/agent-text.ts';

export interface AgentLog {
  /** Complete lines of what has been read so far. */
  push(bytes: Buffer): string;
  /** The rest. */
  end(): string;
}

export function createAgentLog(agent: AgentName): AgentLog {
  const stream = createEventStream(ADAPTERS[agent].createReader(), { wholeToolResults: true });
  const text = new AgentText();
  const linesOf = (events: readonly AgentEvent[]): readonly string[] =>
    events.flatMap((event) => text.linesOf({ type: 'agent', event }));
  return {
    push: (bytes) => joined(linesOf(stream.push(bytes))),
    end: () => joined([...linesOf(stream.end()), ...text.flush()]),
  };
}

function joined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
