/** The frame of every screen: navigation, the workspace, the state of the connection, keys. */
import { useEffect, useState } from 'preact/hooks';
import type { Costs } from '../src/operations/runs/read-costs.ts';
import type { SessionList } from '../src/operations/sessions/list-sessions.ts';
import { about, notice, type RunsFound, trouble } from './api.ts';
import { CleanDialog, Dialog, KeysDialog, StartDialog } from './dialogs.tsx';
import { Icon } from './icons.tsx';
import { isTyping, JUMP_KEY } from './keys.ts';
import { Live } from './live/badge.tsx';
import { notifications, toggleNotifications } from './live/notifications.ts';
import { go, route, to } from './route.ts';
import { RunScreen } from './run/run-screen.tsx';
import { Inbox } from './screens/inbox.tsx';
import { more } from './screens/load-more.ts';
import { Runs } from './screens/runs.tsx';
import { useData, useLive, useLiveData } from './use-data.ts';
import { shortPath, usdText } from './words.ts';

const SCREENS = [
  ['runs', 'Runs'],
  ['inbox', 'Inbox'],
  ['loops', 'Loops'],
  ['sessions', 'Sessions'],
  ['phases', 'Phases'],
  ['conversations', 'Conversations'],
  ['queues', 'Queues'],
  ['schedule', 'Schedule'],
  ['costs', 'Costs'],
  ['workers', 'Workers'],
] as const;
const PHONE = ['runs', 'inbox', 'loops', 'costs'];

export function Shell() {
  const { screen, id } = route.value;
  const workspaces = about.value?.workspaces ?? [];
  // The address is believed until the server has said which workspaces there are, so that its data is asked for at once.
  const isKnown = about.value === undefined || workspaces.some((each) => each.id === route.value.ws);
  const ws = isKnown ? route.value.ws : (workspaces[0]?.id ?? '');
  const [dialog, setDialog] = useState<'keys' | 'start' | 'jump' | 'clean' | undefined>();
  // A dialog reports its end a little later: another one may have been opened meanwhile.
  const closing = (name: typeof dialog) => () => setDialog((now) => (now === name ? undefined : now));
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
      {isKnown || route.value.ws === '' ? (
        <Screen ws={ws} onStart={() => setDialog('start')} onClean={() => setDialog('clean')} />
      ) : (
        <NotServed name={route.value.ws} />
      )}
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
            {name === 'inbox' && waiting > 0 ? <span class="n ask">{waiting}</span> : null}
          </a>
        ))}
        <button type="button" onClick={() => setDialog('jump')}>
          <Icon name="more" size={20} />
          More
        </button>
      </nav>
      {dialog === 'keys' ? <KeysDialog onClose={closing('keys')} /> : null}
      {dialog === 'start' ? <StartDialog ws={ws} onClose={closing('start')} /> : null}
      {dialog === 'clean' ? <CleanDialog ws={ws} onClose={closing('clean')} /> : null}
      {dialog === 'jump' ? <JumpDialog ws={ws} onClose={closing('jump')} /> : null}
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

/** An address from before: another workspace in its place would be taken for it. */
function NotServed({ name }: { readonly name: string }) {
  return (
    <main class="page">
      <p class="banner" role="alert">
        This server does not serve the workspace {name}. It serves{' '}
        {(about.value?.workspaces ?? []).map((each, index) => (
          <span key={each.id}>
            {index === 0 ? '' : ', '}
            <a class="link" href={to(each.id, 'runs')}>
              {each.name}
            </a>
          </span>
        ))}
        .
      </p>
    </main>
  );
}

function Screen({ ws, onStart, onClean }: { readonly ws: string; onStart(): void; onClean(): void }) {
  const { screen, id } = route.value;
  if (screen === 'inbox') return <Inbox />;
  if (SCREENS.some(([name]) => name === screen) && screen !== 'runs')
    return more.value === undefined ? (
      <main class="page" aria-busy="true" />
    ) : (
      <more.value.MoreScreen ws={ws} screen={screen} id={id} />
    );
  return id === '' ? (
    <Runs ws={ws} onStart={onStart} onClean={onClean} />
  ) : (
    <RunScreen key={id} ws={ws} runId={id} />
  );
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
  const counts = useCounts(ws);
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
      {SCREENS.filter(([name]) => name !== 'workers' || current?.has_workers === true).map(([name, word]) => (
        <a
          key={name}
          href={to(ws, name)}
          class={screen === name ? 'on' : ''}
          aria-current={screen === name ? 'page' : undefined}
        >
          <Icon name={name} />
          {word}
          {name === 'inbox' && waiting > 0 ? <span class="n ask">{waiting}</span> : null}
          {counts[name] === undefined ? null : <span class="n">{counts[name]}</span>}
        </a>
      ))}
      <div class="foot">
        <Live />
        {notifications.value === 'unsupported' ? null : (
          <button
            type="button"
            class="opt"
            aria-pressed={notifications.value === 'on'}
            onClick={toggleNotifications}
          >
            <Icon name="bell" />
            {notifications.value === 'on' ? 'Notifications are on' : 'Notify me'}
          </button>
        )}
        <span class="hints">
          <span>
            <kbd>?</kbd> keys
          </span>
          <span>
            <kbd>{JUMP_KEY}</kbd> jump
          </span>
          <span>
            <kbd>G</kbd>
            <kbd>I</kbd> inbox
          </span>
        </span>
      </div>
    </nav>
  );
}

const COUNTS_AFTER_MS = 300;

/** How much there is of each. */
function useCounts(ws: string): { readonly [screen: string]: number | string | undefined } {
  const ms = 5000;
  // The screen comes first: a browser has six connections to a server.
  const [isLater, setLater] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLater(true), COUNTS_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  const at = (path: string) => (isLater ? `w/${ws}/${path}` : undefined);
  const { value: runs } = useLiveData<RunsFound>(at('runs?limit=1'), 'runs', { ms });
  const { value: talks } = useLiveData<RunsFound>(at('runs?kind=converse&limit=1'), 'runs', { ms });
  const { value: loops } = useLiveData<{ readonly loops: readonly unknown[] }>(at('loops'), 'runs', {
    ms,
  });
  const { value: sessions } = useLiveData<SessionList>(at('sessions'), 'runs', { ms });
  const { value: costs } = useLiveData<{ readonly day: Costs }>(at('costs?days=30&by=day'), 'runs', {
    ms,
  });
  const total = costs?.day.total;
  return {
    runs: runs?.all,
    conversations: talks?.total,
    loops: loops?.loops.length,
    sessions: sessions?.sessions.length,
    costs: total === undefined ? undefined : spentText(total),
  };
}

/** In the room of a few letters: `$1.20+` if other calls did not report their cost. */
function spentText({ cost_usd: usd, unknown_cost_calls: unknown }: Costs['total']): string | undefined {
  if (usd === 0) return unknown === 0 ? undefined : 'unknown';
  return `${usdText(usd)}${unknown === 0 ? '' : '+'}`;
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
      if ((event.metaKey || event.ctrlKey) && event.key === 'k') {
        event.preventDefault();
        open('jump');
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event)) return;
      const jumps: { readonly [key: string]: string } = {
        i: 'inbox',
        r: 'runs',
        l: 'loops',
        s: 'sessions',
        p: 'phases',
        v: 'conversations',
        q: 'queues',
        t: 'schedule',
        c: 'costs',
        w: 'workers',
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
  const [at, setAt] = useState(0);
  const { value } = useData<RunsFound>(`w/${ws}/runs?limit=12&q=${encodeURIComponent(q)}`);
  const places = [
    ...SCREENS.filter(([, word]) => word.toLowerCase().includes(q.toLowerCase())).map(([name, word]) => ({
      ...{ href: to(ws, name), icon: name as string, word: word as string, more: '' },
    })),
    ...(about.value?.workspaces ?? [])
      .filter(({ id, name }) => id !== ws && name.toLowerCase().includes(q.toLowerCase()))
      .map(({ id, name, path, home }) => ({
        ...{ href: to(id, 'runs'), icon: 'folder', word: name, more: shortPath(path, home) },
      })),
    ...(value?.runs ?? []).map((run) => ({
      ...{ href: to(ws, 'runs', run.run_id), icon: run.status, word: run.title, more: run.run_id },
    })),
  ];
  const chosen = Math.min(at, places.length - 1);
  const press = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0) {
      event.preventDefault();
      setAt(Math.max(0, Math.min(places.length - 1, chosen + by)));
    } else if (event.key === 'Enter' && places[chosen] !== undefined) {
      event.preventDefault();
      onClose();
      go(places[chosen].href);
    }
  };
  return (
    <Dialog title="Jump to" onClose={onClose}>
      <input
        class="wide"
        aria-label="Screen, workspace or run"
        placeholder="Screen, workspace, run, step, error"
        value={q}
        onInput={(event) => {
          setQ(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div class="list" onClick={onClose}>
        {places.map(({ href, icon, word, more }, index) => (
          <a key={href} href={href} class={index === chosen ? 'on' : ''}>
            <Icon name={icon} /> {word} <span class="faint mono">{more}</span>
          </a>
        ))}
      </div>
    </Dialog>
  );
}
