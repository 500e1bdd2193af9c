/** Which conversations are there, and what was said? */
import type { ComponentChildren } from 'preact';
import { about, type RunsFound } from '../api.ts';
import { Icon } from '../icons.tsx';
import { Empty, Pill } from '../parts.tsx';
import { to } from '../route.ts';
import { useLiveData } from '../use-data.ts';
import { durationText, plural, spendingText, timeText } from '../words.ts';
import { ScreenPage } from './screen.tsx';

/** A conversation is a run; its id in the address is that of the run. */
export function Conversations({ ws, id }: { readonly ws: string; readonly id: string }) {
  return id === '' ? <All ws={ws} /> : <One key={id} ws={ws} runId={id} />;
}

function All({ ws }: { readonly ws: string }) {
  const { value, problem } = useLiveData<RunsFound>(`w/${ws}/runs?kind=converse&limit=200`, 'runs');
  const found = value?.runs ?? [];
  return (
    <ScreenPage
      title="Conversations"
      problem={problem}
      sum={value === undefined ? ' ' : `${plural(value.total, 'conversation')}.`}
    >
      {value !== undefined && found.length === 0 ? (
        <Empty text="No conversations yet. Start one:" command="orchestrate converse init talk" />
      ) : null}
      {found.map((run) => (
        <section class="card item" key={run.run_id} aria-label={run.title}>
          <div class="top">
            <Pill status={run.status} />
            <a class="link" href={to(ws, 'conversations', run.run_id)}>
              {run.title}
            </a>
            <span class="ago">{timeText(run.started_at)}</span>
          </div>
          <div class="quiet">
            {run.line} · {durationText(run.duration_ms)}
            {spendingText(run.totals) === undefined ? '' : ` · ${spendingText(run.totals)}`}
          </div>
        </section>
      ))}
    </ScreenPage>
  );
}

interface RunFound {
  readonly summary: RunsFound['runs'][number];
  readonly state?: { readonly conversation_folder?: string; readonly session_id?: string };
}

interface Message {
  readonly role?: string;
  readonly type?: string;
  readonly iteration?: number;
  readonly timestamp?: string;
  readonly content?: unknown;
}

function One({ ws, runId }: { readonly ws: string; readonly runId: string }) {
  const run = useLiveData<RunFound>(`w/${ws}/runs/${encodeURIComponent(runId)}`, `run:${runId}`);
  const history = useLiveData<{ readonly messages: readonly Message[] }>(
    historyOf(ws, run.value),
    `run:${runId}`,
  );
  const messages = history.value?.messages ?? [];
  const summary = run.value?.summary;
  return (
    <ScreenPage
      title={summary?.title ?? runId}
      crumb={{ word: 'Conversations', href: to(ws, 'conversations') }}
      problem={run.problem ?? history.problem}
      sum={
        summary === undefined
          ? ' '
          : [
              plural(messages.length, 'message'),
              durationText(summary.duration_ms),
              spendingText(summary.totals),
            ]
              .filter((part) => part !== undefined)
              .join(' · ')
      }
      right={
        <a class="btn sm" href={to(ws, 'runs', runId)}>
          Open its run
        </a>
      }
    >
      <div class="talk">
        {messages.map((message, index) => (
          <Said key={index} message={message} />
        ))}
      </div>
    </ScreenPage>
  );
}

function historyOf(ws: string, run: RunFound | undefined): string | undefined {
  const { conversation_folder: folder, session_id: session } = run?.state ?? {};
  const root = about.value?.workspaces.find(({ id }) => id === ws)?.path ?? '';
  if (folder === undefined || session === undefined) return undefined;
  const dir = folder === root ? '.' : folder.startsWith(`${root}/`) ? folder.slice(root.length + 1) : folder;
  return `w/${ws}/conversations/${encodeURIComponent(session)}?dir=${encodeURIComponent(dir)}`;
}

function Said({ message }: { readonly message: Message }) {
  const role = message.role ?? message.type ?? 'message';
  const parts = Array.isArray(message.content) ? message.content : [message.content];
  return (
    <section class={`said ${role}`} aria-label={role}>
      <div class="t">
        <Icon name={role === 'assistant' ? 'agent' : role === 'user' ? 'person' : 'command'} />
        {role}
        <span class="faint">
          {message.iteration === undefined ? '' : `iteration ${message.iteration} · `}
          {timeText(message.timestamp)}
        </span>
      </div>
      {parts.map((part, index) => (
        <Part key={index} part={part} />
      ))}
    </section>
  );
}

function Part({ part }: { readonly part: unknown }): ComponentChildren {
  if (typeof part === 'string') return <p>{part}</p>;
  if (typeof part !== 'object' || part === null) return null;
  const {
    type,
    text,
    name,
    input,
    output,
    content,
    tool_name: tool,
    status,
  } = part as { [field: string]: unknown };
  if (type === 'text' && typeof text === 'string') return <p>{text}</p>;
  if (type === 'tool_use')
    return (
      <p class="quiet">
        <b>{String(name)}</b> <code>{JSON.stringify(input)}</code>
      </p>
    );
  const said = output ?? content;
  if (said !== undefined)
    return (
      <>
        <p class="quiet">
          {tool === undefined ? '' : String(tool)} {status === undefined ? '' : String(status)}
        </p>
        <pre>{typeof said === 'string' ? said : JSON.stringify(said, null, 2)}</pre>
      </>
    );
  return <pre>{JSON.stringify(part, null, 2)}</pre>;
}
