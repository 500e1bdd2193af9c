/** What an agent was asked and did, in order: from its prompt to the proof of its result. */
import { useEffect, useState } from 'preact/hooks';
import type { AgentEvent } from '../../src/model/agent.ts';
import type { StepDetail } from '../../src/operations/live/step-detail.ts';
import { getJson, getText, type TextPart } from '../api.ts';
import { Icon } from '../icons.tsx';
import { plural } from '../words.ts';
import { ProofLines } from './step-proof.tsx';

export function Transcript({
  at,
  status,
  detail,
}: {
  readonly at: string;
  readonly status: string;
  readonly detail: StepDetail | undefined;
}) {
  const [events, setEvents] = useState<readonly AgentEvent[]>([]);
  const [next, setNext] = useState(0);
  const [size, setSize] = useState(0);
  const load = async (from: number) => {
    const part = await getJson<{
      readonly events: readonly AgentEvent[];
      readonly next: number;
      readonly size: number;
    }>(`${at}/transcript?from=${from}`).catch(() => undefined);
    if (part === undefined) return;
    setEvents((before) => (from === 0 ? part.events : [...before, ...part.events]));
    setNext(part.next);
    setSize(part.size);
  };
  useEffect(() => {
    void load(0);
  }, [at, status]);
  return (
    <div class="body">
      <div class="tr">
        {detail?.logs.some(({ stream }) => stream === 'prompt') === true ? <PromptStart at={at} /> : null}
        {events.map((event, index) => (
          <Event key={index} event={event} />
        ))}
        {detail?.proof === undefined || next < size ? null : (
          <div class="ev">
            <div class="dot">
              <Icon name="completed" />
            </div>
            <div>
              <div class="t">Proof</div>
              <ProofLines proof={detail.proof} />
            </div>
          </div>
        )}
      </div>
      {next < size ? (
        <p>
          <button type="button" class="btn sm" onClick={() => load(next)}>
            Show more
          </button>
        </p>
      ) : null}
      {events.length === 0 ? <p class="quiet">Nothing yet.</p> : null}
    </div>
  );
}

const PROMPT_LINES = 6;

/** How the prompt begins; the rest is in its own tab. */
function PromptStart({ at }: { readonly at: string }) {
  const [part, setPart] = useState<TextPart | undefined>();
  useEffect(() => {
    getText(`${at}/prompt?bytes=4096`).then(setPart, () => {});
  }, [at]);
  if (part === undefined) return null;
  const lines = part.text.trimEnd().split('\n');
  const isCut = lines.length > PROMPT_LINES || part.size > part.text.length;
  return (
    <div class="ev">
      <div class="dot">
        <Icon name="file" />
      </div>
      <div>
        <div class="t">
          Prompt<span class="faint">{plural(part.size, 'byte')}</span>
        </div>
        <pre class="dim">
          {lines.slice(0, PROMPT_LINES).join('\n')}
          {isCut ? '\n…' : ''}
        </pre>
      </div>
    </div>
  );
}

function Event({ event }: { readonly event: AgentEvent }) {
  switch (event.type) {
    case 'started':
      return (
        <Said
          icon="agent"
          title="Started"
          detail={[event.model, event.sessionId].filter(Boolean).join(' · ')}
        />
      );
    case 'text':
      return <Said icon="conversations" title="Agent" text={event.text} />;
    case 'thinking':
      return <Said icon="conversations" title="Thinking" text={event.text} />;
    case 'tool-use':
      return <Said icon="command" title={event.name} text={JSON.stringify(event.input, null, 2)} />;
    case 'tool-result':
      return (
        <Said
          icon={event.isError ? 'failed' : 'completed'}
          title={event.refused === true ? 'Denied' : event.isError ? 'Tool failed' : 'Tool result'}
          text={event.omittedBytes === undefined ? event.content : `${event.omittedBytes} bytes`}
        />
      );
    case 'todo':
      return (
        <Said
          icon="runs"
          title="Todo list"
          text={event.items
            .map(
              ({ content, status }) =>
                `${status === 'completed' ? '✓' : status === 'in_progress' ? '▶' : '○'} ${content}`,
            )
            .join('\n')}
        />
      );
    case 'rate-limit':
      return <Said icon="waiting" title="Usage limit" detail={`${event.status} ${event.resetsAt ?? ''}`} />;
    case 'retry':
      return <Said icon="loops" title="Retry" detail={event.message} />;
    case 'result':
      return (
        <Said
          icon={event.result.isError ? 'failed' : 'completed'}
          title={event.result.isError ? 'Ended with an error' : 'Result'}
          detail={event.result.subtype}
          text={
            event.result.structured === undefined
              ? event.result.text
              : JSON.stringify(event.result.structured, null, 2)
          }
        />
      );
    case 'usage':
    case 'unrecognised':
      return null;
  }
}

function Said(props: {
  readonly icon: string;
  readonly title: string;
  readonly detail?: string;
  readonly text?: string;
}) {
  return (
    <div class="ev">
      <div class="dot">
        <Icon name={props.icon} />
      </div>
      <div>
        <div class="t">
          {props.title}
          <span class="faint mono">{props.detail}</span>
        </div>
        {props.text === undefined || props.text === '' ? null : <pre>{props.text.slice(0, 20_000)}</pre>}
      </div>
    </div>
  );
}
