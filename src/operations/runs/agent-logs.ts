import { AGENT_NAMES, type AgentName } from '../../model/agent.ts';
import type { JournalEvent } from '../../model/event.ts';
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import { stepFileStem } from '../../store/layout.ts';

/** Names of the logs that hold the stream of an agent, with the adapter that reads it. */
export function agentLogs(events: readonly JournalEvent[]): ReadonlyMap<string, AgentName> {
  const logs = new Map<string, AgentName>();
  for (const event of events) {
    if (event.type !== 'step-started' || event.effect !== 'run-agent') continue;
    const adapter = adapterIn(event.input);
    if (adapter !== undefined) logs.set(`${stepFileStem(event.key, event.attempt)}.stdout`, adapter);
  }
  return logs;
}

/** Undefined for an agent without a structured stream: its output is text already. */
function adapterIn(input: JsonValue): AgentName | undefined {
  const agent = isJsonObject(input) ? input['agent'] : undefined;
  const adapter = isJsonObject(agent) ? agent['adapter'] : undefined;
  return AGENT_NAMES.find((name) => name === adapter);
}
