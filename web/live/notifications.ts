/**
 * Notifications of the browser, only for those who asked for them: what newly waits for a person. The tab that reads the stream shows them, so
 * that fifty tabs show one.
 */
import { signal } from '@preact/signals';
import type { InboxItem } from '../../src/operations/live/inbox.ts';
import { about, getJson } from '../api.ts';
import { go, to } from '../route.ts';
import { isReading, subscribe } from './stream.ts';

const STORED = 'orchestrate-notifications';

export const notifications = signal<'on' | 'off' | 'unsupported'>(
  !('Notification' in globalThis)
    ? 'unsupported'
    : localStorage.getItem(STORED) === 'on' && Notification.permission === 'granted'
      ? 'on'
      : 'off',
);

/** Asks the browser for permission. */
export async function toggleNotifications(): Promise<void> {
  const isWanted = notifications.value !== 'on';
  const isAllowed = isWanted && (await Notification.requestPermission()) === 'granted';
  notifications.value = isAllowed ? 'on' : 'off';
  if (isAllowed) localStorage.setItem(STORED, 'on');
  else localStorage.removeItem(STORED);
}

/** By workspace: what was already there when the page was opened, or has been shown. */
const known = new Map<string, ReadonlySet<string>>();

export function startNotifications(): void {
  if (notifications.value === 'unsupported') return;
  subscribe('inbox', ({ ws }) => {
    if (ws !== undefined) void look(ws);
  });
  addEventListener('storage', ({ key, newValue }) => {
    if (key === STORED) notifications.value = newValue === 'on' ? 'on' : 'off';
  });
}

async function look(ws: string): Promise<void> {
  const found = await getJson<{ readonly items: readonly InboxItem[] }>(`w/${ws}/inbox`).catch(
    () => undefined,
  );
  if (found === undefined) return;
  const before = known.get(ws);
  known.set(ws, new Set(found.items.map(nameOf)));
  if (before === undefined || notifications.value !== 'on' || !isReading()) return;
  for (const item of found.items.filter((each) => !before.has(nameOf(each)))) show(ws, item);
}

function show(ws: string, item: InboxItem): void {
  const name = about.value?.workspaces.find(({ id }) => id === ws)?.name ?? '';
  const body = item.type === 'question' ? item.question.message : item.message;
  const shown = new Notification(`${item.title} ${WORDS[item.type]}`, {
    body,
    tag: `${ws} ${nameOf(item)}`,
    data: name,
  });
  shown.onclick = () => {
    focus();
    go('run_id' in item ? to(ws, 'runs', item.run_id) : to(ws, 'inbox'));
    shown.close();
  };
}

const WORDS: { readonly [Type in InboxItem['type']]: string } = {
  question: 'asks you',
  failed: 'failed',
  limit: 'reached a limit',
  'cut-off': 'was interrupted',
  damaged: 'is damaged',
  loop: 'has stopped',
  task: 'is blocked',
  phase: 'failed',
};

function nameOf(item: InboxItem): string {
  if (!('run_id' in item)) return `${item.type} ${item.name} ${item.at}`;
  return `${item.type} ${item.run_id} ${item.type === 'question' ? item.question.key : item.at}`;
}
