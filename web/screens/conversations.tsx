/** Which conversations are there, and what was said? */
import { Empty } from '../parts.tsx';
import { to } from '../route.ts';
import { useData } from '../use-data.ts';
import { plural, timeText } from '../words.ts';
import { ScreenPage } from './screen.tsx';

interface Listed {
  readonly sessionId: string;
  readonly type: string;
  readonly session?: { readonly created_at: string; readonly status?: string };
}

export function Conversations({ ws, id }: { readonly ws: string; readonly id: string }) {
  return id === '' ? <All ws={ws} /> : <One ws={ws} id={id} />;
}

function All({ ws }: { readonly ws: string }) {
  const { value, problem } = useData<{ readonly conversations: readonly Listed[] }>(`w/${ws}/conversations`);
  const found = value?.conversations ?? [];
  return (
    <ScreenPage
      title="Conversations"
      problem={problem}
      sum={value === undefined ? ' ' : plural(found.length, 'conversation')}
    >
      {value !== undefined && found.length === 0 ? (
        <Empty
          text="No conversations at the top of this workspace. Start one:"
          command="orchestrate converse init talk"
        />
      ) : null}
      {found.map(({ sessionId, session }) => (
        <section class="card item" key={sessionId} aria-label={sessionId}>
          <div class="top">
            <a href={to(ws, 'conversations', sessionId)}>{sessionId}</a>
            <span class="faint">{session?.status ?? 'unreadable'}</span>
            <span class="ago">{timeText(session?.created_at)}</span>
          </div>
        </section>
      ))}
    </ScreenPage>
  );
}

function One({ ws, id }: { readonly ws: string; readonly id: string }) {
  const { value, problem } = useData<{ readonly messages: readonly { readonly [field: string]: unknown }[] }>(
    `w/${ws}/conversations/${encodeURIComponent(id)}`,
  );
  return (
    <ScreenPage
      title={id}
      problem={problem}
      sum={value === undefined ? ' ' : plural(value.messages.length, 'message')}
    >
      {(value?.messages ?? []).map((message, index) => (
        <section
          class="card item"
          key={index}
          aria-label={String(message['role'] ?? message['type'] ?? 'message')}
        >
          <div class="top">{String(message['role'] ?? message['type'] ?? '')}</div>
          <pre>
            {typeof message['content'] === 'string' ? message['content'] : JSON.stringify(message, null, 2)}
          </pre>
        </section>
      ))}
    </ScreenPage>
  );
}
