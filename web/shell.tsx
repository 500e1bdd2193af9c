/** The frame of every screen: navigation, the workspace, the state of the connection, keys. */
import { useEffect, useState } from 'preact/hooks';
import { about, notice, type RunsFound, trouble } from './api.ts';
import { Dialog, KeysDialog, StartDialog } from './dialogs.tsx';
import { Icon } from './icons.tsx';
import { Live } from './live/badge.tsx';
import { go, route, to } from './route.ts';
import { RunScreen } from './run/run-screen.tsx';
import { Conversations } from './screens/conversations.tsx';
import { Costs } from './screens/costs.tsx';
import { Inbox } from './screens/inbox.tsx';
import { Loops } from './screens/loops.tsx';
import { Phases } from './screens/phases.tsx';
import { Queues } from './screens/queues.tsx';
import { Runs } from './screens/runs.tsx';
import { Sessions } from './screens/sessions.tsx';
import { useData, useLive } from './use-data.ts';
import { shortPath } from './words.ts';

const SCREENS = [
  ['runs', 'Runs'],
  ['inbox', 'Inbox'],
  ['loops', 'Loops'],
  ['sessions', 'Sessions'],
  ['phases', 'Phases'],
  ['conversations', 'Conversations'],
  ['queues', 'Queues'],
  ['costs', 'Costs'],
] as const;
const PHONE = ['runs', 'inbox', 'loops', 'costs'];

export function Shell() {
  const { screen, id } = route.value;
  const workspaces = about.value?.workspaces ?? [];
  const ws = workspaces.some((each) => each.id === route.value.ws)
    ? route.value.ws
    : (workspaces[0]?.id ?? '');
  const [dialog, setDialog] = useState<'keys' | 'start' | 'jump' | undefined>();
  const waiting = useWaiting(ws);
  useKeys(ws, setDialog);
  useEffect(() => {
    const name = SCREENS.find(([each]) => each === screen)?.[1] ?? 'Runs';
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${id === '' ? name : id} — Orchestrate`;
  }, [screen, id, waiting]);
  useEffect(() => {
    if (notice.value === undefined) return;
    const timer = setTimeout(() => {
      notice.value = undefined;
    }, 6000);
    return () => clearTimeout(timer);
  }, [notice.value]);
  if (trouble.value !== undefined && about.value === undefined)
    return (
      <main class="page">
        <div class="toph">
          <h1>Orchestrate</h1>
        </div>
        <p class="banner" role="alert">
          {trouble.value}
        </p>
      </main>
    );
  if (ws === '') return <main class="page" aria-busy="true" />;
  return (
    <>
      <Side ws={ws} screen={screen} waiting={waiting} />
      <Screen ws={ws} onStart={() => setDialog('start')} />
      <nav class="tabbar" aria-label="Screens">
        {SCREENS.filter(([name]) => PHONE.includes(name)).map(([name, word]) => (
          <a
            key={name}
            href={to(ws, name)}
            class={screen === name ? 'on' : ''}
            aria-current={screen === name ? 'page' : undefined}
          >
            <Icon name={name} size={20} />
            {word}
          </a>
        ))}
      </nav>
      {dialog === 'keys' ? <KeysDialog onClose={() => setDialog(undefined)} /> : null}
      {dialog === 'start' ? <StartDialog ws={ws} onClose={() => setDialog(undefined)} /> : null}
      {dialog === 'jump' ? <JumpDialog ws={ws} onClose={() => setDialog(undefined)} /> : null}
      <div class="toasts" aria-live="polite">
        {notice.value === undefined ? null : (
          <div class={`toast ${notice.value.isError ? 'bad' : ''}`}>
            {notice.value.text.replaceAll('`', '')}
          </div>
        )}
      </div>
    </>
  );
}

function Screen({ ws, onStart }: { readonly ws: string; onStart(): void }) {
  const { screen, id } = route.value;
  switch (screen) {
    case 'inbox':
      return <Inbox />;
    case 'costs':
      return <Costs ws={ws} />;
    case 'loops':
      return <Loops ws={ws} />;
    case 'sessions':
      return <Sessions ws={ws} id={id} />;
    case 'phases':
      return <Phases ws={ws} />;
    case 'conversations':
      return <Conversations ws={ws} id={id} />;
    case 'queues':
      return <Queues ws={ws} />;
    default:
      return id === '' ? <Runs ws={ws} onStart={onStart} /> : <RunScreen key={id} ws={ws} runId={id} />;
  }
}

function Side({
  ws,
  screen,
  waiting,
}: {
  readonly ws: string;
  readonly screen: string;
  readonly waiting: number;
}) {
  const workspaces = about.value?.workspaces ?? [];
  const current = workspaces.find((each) => each.id === ws);
  const { value: runs } = useData<RunsFound>(`w/${ws}/runs?limit=1`);
  return (
    <nav class="side" aria-label="Main">
      <a class="brand" href={to(ws, 'runs')}>
        <img src="/icon.svg" width="20" height="20" alt="" />
        Orchestrate
      </a>
      <div class="ws">
        <div>
          {workspaces.length > 1 ? (
            <select
              aria-label="Workspace"
              value={ws}
              onChange={(event) => go(to(event.currentTarget.value, screen))}
            >
              {workspaces.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          ) : (
            current?.name
          )}
          <small class="mono">{shortPath(current?.path ?? '', current?.home ?? '')}</small>
        </div>
      </div>
      {SCREENS.map(([name, word]) => (
        <a
          key={name}
          href={to(ws, name)}
          class={screen === name ? 'on' : ''}
          aria-current={screen === name ? 'page' : undefined}
        >
          <Icon name={name} />
          {word}
          {name === 'inbox' && waiting > 0 ? <span class="n ask">{waiting}</span> : null}
          {name === 'runs' && runs !== undefined ? <span class="n">{runs.all}</span> : null}
        </a>
      ))}
      <div class="foot">
        <Live />
        <span>
          <kbd>?</kbd> keys <kbd>⌘K</kbd> jump <kbd>G</kbd>
          <kbd>I</kbd> inbox
        </span>
      </div>
    </nav>
  );
}

/** How much waits for a person, over all workspaces. */
function useWaiting(ws: string): number {
  const [counts, setCounts] = useState<{ readonly [ws: string]: number }>({});
  useLive(ws === '' ? undefined : 'inbox', (message) =>
    setCounts((before) => ({ ...before, [String(message.ws)]: Number(message['count']) })),
  );
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function useKeys(ws: string, open: (dialog: 'keys' | 'start' | 'jump') => void): void {
  useEffect(() => {
    let before = '';
    const press = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if ((event.metaKey || event.ctrlKey) && event.key === 'k') {
        event.preventDefault();
        open('jump');
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
        return;
      const jumps: { readonly [key: string]: string } = {
        i: 'inbox',
        r: 'runs',
        l: 'loops',
        s: 'sessions',
        c: 'costs',
      };
      const jump = before === 'g' ? jumps[event.key] : undefined;
      before = event.key;
      if (jump !== undefined) go(to(ws, jump));
      else if (event.key === '?') open('keys');
      else if (event.key === 'n') open('start');
      else if (event.key === '/') {
        event.preventDefault();
        document.querySelector<HTMLInputElement>('input[data-search]')?.focus();
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [ws, open]);
}

function JumpDialog({ ws, onClose }: { readonly ws: string; onClose(): void }) {
  const [q, setQ] = useState('');
  const { value } = useData<RunsFound>(`w/${ws}/runs?limit=12&q=${encodeURIComponent(q)}`);
  const screens = SCREENS.filter(([, word]) => word.toLowerCase().includes(q.toLowerCase()));
  return (
    <Dialog title="Jump to" onClose={onClose}>
      <input
        class="wide"
        aria-label="Screen or run"
        placeholder="Screen, run, step, error"
        value={q}
        onInput={(event) => setQ(event.currentTarget.value)}
      />
      <div class="list" onClick={onClose}>
        {screens.map(([name, word]) => (
          <a key={name} href={to(ws, name)}>
            <Icon name={name} /> {word}
          </a>
        ))}
        {(value?.runs ?? []).map((run) => (
          <a key={run.run_id} href={to(ws, 'runs', run.run_id)}>
            <Icon name={run.status} /> {run.title} <span class="faint mono">{run.run_id}</span>
          </a>
        ))}
      </div>
    </Dialog>
  );
}
