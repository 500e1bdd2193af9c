/** Everything that waits for a person, over all workspaces. */

import { useEffect, useState } from 'preact/hooks';
import type { InboxItem } from '../../src/operations/live/inbox.ts';
import { about, act, getJson, isReadOnly } from '../api.ts';
import { Icon } from '../icons.tsx';
import { Live } from '../live/badge.tsx';
import { AskedAbout, Button, Choices, Empty } from '../parts.tsx';
import { to } from '../route.ts';
import { useLive, useThrottled } from '../use-data.ts';
import { adviceText, timeText } from '../words.ts';

interface Found {
  readonly ws: string;
  readonly name: string;
  readonly item: InboxItem;
}

export function Inbox() {
  const [found, setFound] = useState<readonly Found[] | undefined>();
  const [problem, setProblem] = useState<string | undefined>();
  const load = async () => {
    try {
      const all = await Promise.all(
        (about.value?.workspaces ?? []).map(async ({ id, name }) => {
          const { items } = await getJson<{ readonly items: readonly InboxItem[] }>(`w/${id}/inbox`);
          return items.map((item) => ({ ws: id, name, item }));
        }),
      );
      setFound(all.flat());
      setProblem(undefined);
    } catch (cause) {
      setProblem(cause instanceof Error ? cause.message : String(cause));
    }
  };
  const known = about.value;
  useEffect(() => {
    if (known !== undefined) void load();
  }, [known]);
  const again = useThrottled(() => void load(), 300);
  useLive('inbox', again);
  return (
    <main class="page" tabIndex={-1}>
      <div class="toph">
        <h1>Inbox</h1>
        {found === undefined || found.length === 0 ? null : <span class="pill s-ask">{found.length}</span>}
        <span class="right phone-only">
          <Live />
        </span>
      </div>
      <p class="sum">What waits for you, in every workspace.</p>
      {problem === undefined ? null : (
        <p class="banner" role="alert">
          {problem}
        </p>
      )}
      {found?.length === 0 ? (
        <Empty text="Nothing waits for you. A run that asks you something:" command="orchestrate demo" />
      ) : null}
      <div class="items">
        {(found ?? []).map((each) => (
          <Item key={`${each.ws} ${keyOf(each.item)}`} {...each} />
        ))}
      </div>
    </main>
  );
}

function keyOf(item: InboxItem): string {
  return 'run_id' in item
    ? `${item.run_id} ${item.type === 'question' ? item.question.key : item.type}`
    : `${item.type} ${item.title}`;
}

function Item({ ws, name, item }: Found) {
  const where = (about.value?.workspaces.length ?? 0) > 1 ? name : undefined;
  if (item.type === 'question')
    return (
      <section class="card item askc" aria-label={`Question of ${item.title}`}>
        <Top icon="waiting" tone="ask" title={item.title} detail={item.question.key} at={item.at} />
        <div class="q">{item.question.message}</div>
        <AskedAbout ws={ws} run={item.run_id} question={item.question} />
        <div class="quiet">
          {where === undefined ? '' : `${where} · `}
          {item.workflow_file ?? item.kind}
        </div>
        <div class="acts">
          <Choices ws={ws} run={item.run_id} question={item.question} />
          <a class="btn ghost" href={to(ws, 'runs', item.run_id)}>
            Look first
          </a>
        </div>
      </section>
    );
  if (!('run_id' in item)) {
    const screen = { loop: 'loops', task: 'sessions', phase: 'phases' }[item.type];
    return (
      <section class="card item" aria-label={item.title}>
        <Top icon="failed" tone="bad" title={item.title} detail={item.type} at={item.at} />
        <div class="q">{item.message}</div>
        <Where name={where} />
        <div class="acts">
          <a class="btn" href={to(ws, screen, item.type === 'loop' ? item.name : '')}>
            Open
          </a>
        </div>
      </section>
    );
  }
  if (item.type === 'limit')
    return (
      <section class="card item" aria-label={item.title}>
        <Top icon="failed" tone="bad" title={item.title} detail="limit reached" at={item.at} />
        <div class="q">{item.message}</div>
        <div class="quiet">
          Raise {item.limits.join(' and ')} in {item.workflow_file ?? 'its settings'}, then resume.
        </div>
        <Where name={where} />
        <div class="acts">
          {isReadOnly() ? null : (
            <Button
              label="Resume with the new limit"
              onClick={() => act(ws, { command: 'resume', run: item.run_id, accept_changes: true })}
            />
          )}
          <a class="btn" href={to(ws, 'runs', item.run_id)}>
            Open
          </a>
        </div>
      </section>
    );
  const isCut = item.type === 'cut-off';
  const { advice } = item;
  const accepted = advice?.type === 'first' && advice.changesFile ? { accept_changes: true } : {};
  return (
    <section class="card item" aria-label={item.title}>
      <Top
        icon={isCut ? 'interrupted' : item.type}
        tone={isCut ? 'cut' : 'bad'}
        title={item.title}
        detail={[item.step, STATE_WORDS[item.type]].join(' ').trim()}
        at={item.at}
      />
      {isCut ? <div class="q">{item.message}</div> : <pre class="c-bad">{item.message}</pre>}
      {advice === undefined ? null : <div class="quiet">{adviceText(advice, item.workflow_file)}</div>}
      <Where name={where} />
      <div class="acts">
        {isReadOnly() || item.type === 'damaged' || advice?.type === 'restart' ? null : (
          <Button
            label="Resume"
            onClick={() => act(ws, { command: 'resume', run: item.run_id, ...accepted })}
          />
        )}
        {item.type === 'failed' && item.step !== undefined ? (
          <a class="btn" href={`${to(ws, 'runs', item.run_id)}?${logOf(item.step)}`}>
            Open log
          </a>
        ) : (
          <a class="btn" href={to(ws, 'runs', item.run_id)}>
            Open
          </a>
        )}
      </div>
    </section>
  );
}

/** A status is never said by an icon and a colour alone. */
const STATE_WORDS = { failed: 'failed', 'cut-off': 'interrupted', damaged: 'damaged' } as const;

/** The workspace, if there are several. */
function Where({ name }: { readonly name: string | undefined }) {
  return name === undefined ? null : <div class="quiet">{name}</div>;
}

/** The step is named with its item: `Suites/2/Browser [e2e]`. */
function logOf(step: string): string {
  const item = step.endsWith(']') ? step.indexOf(' [') : -1;
  return new URLSearchParams({ step: item === -1 ? step : step.slice(0, item), tab: 'log' }).toString();
}

function Top(props: {
  readonly icon: string;
  readonly tone: string;
  readonly title: string;
  readonly detail: string;
  readonly at: string;
}) {
  return (
    <div class="top">
      <span class={`c-${props.tone}`}>
        <Icon name={props.icon} />
      </span>
      <span class="t">{props.title}</span>
      <span class="faint">{props.detail}</span>
      <span class="ago">{timeText(props.at)}</span>
    </div>
  );
}
