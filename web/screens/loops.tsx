/** Which loops are there, how far are they, what stopped them? */
import type { ListedLoop, ListedLoops } from '../../src/operations/loops/list-loops.ts';
import { act, isReadOnly } from '../api.ts';
import { Button, Empty, Pill } from '../parts.tsx';
import { to } from '../route.ts';
import { useLiveData } from '../use-data.ts';
import { plural, timeText } from '../words.ts';
import { Loop } from './loop.tsx';
import { lineOf, stateOf } from './loop-state.ts';
import { ScreenPage } from './screen.tsx';

interface Found {
  readonly loops: ListedLoops['found'];
  readonly unreadable: ListedLoops['unreadable'];
  readonly queue: readonly { readonly name: string }[];
}

export function Loops({ ws, id }: { readonly ws: string; readonly id: string }) {
  return id === '' ? <AllLoops ws={ws} /> : <Loop key={id} ws={ws} name={id} />;
}

function AllLoops({ ws }: { readonly ws: string }) {
  const { value, problem } = useLiveData<Found>(`w/${ws}/loops`, 'loops');
  const loops = value?.loops ?? [];
  const queue = value?.queue ?? [];
  return (
    <ScreenPage
      title="Loops"
      problem={problem}
      sum={value === undefined ? ' ' : sumOf(loops.length, queue.length)}
    >
      {value !== undefined && loops.length === 0 ? (
        <Empty text="No loops yet. Create one:" command="orchestrate iterate init my-task" />
      ) : null}
      {loops.map((loop) => (
        <LoopCard key={loop.metadata.name} ws={ws} loop={loop} queue={queue} />
      ))}
      {(value?.unreadable ?? []).map(({ name, reason }) => (
        <p class="banner" key={name}>
          {name}: {reason}
        </p>
      ))}
    </ScreenPage>
  );
}

function LoopCard({
  ws,
  loop,
  queue,
}: {
  readonly ws: string;
  readonly loop: ListedLoop;
  readonly queue: Found['queue'];
}) {
  const { metadata, limit, isRunning, left } = loop;
  const [status, word] = stateOf(loop);
  const line = lineOf(loop);
  const summary = metadata.run?.summary;
  return (
    <section class="card item" aria-label={metadata.name}>
      <div class="top">
        <Pill status={status} word={word} />
        <a class="link" href={to(ws, 'loops', metadata.name)}>
          {metadata.name}
        </a>
        <span class="faint">{metadata.mode}</span>
        <span class="ago">
          {metadata.lastRun === undefined ? 'never run' : `last run ${timeText(metadata.lastRun)}`}
        </span>
      </div>
      <div class="q">{line}</div>
      {summary === undefined || summary === line ? null : <div class="quiet">{summary}</div>}
      <div class="quiet">
        {plural(metadata.totalIterations, 'iteration')}
        {metadata.run?.remaining == null ? '' : ` · ${plural(metadata.run.remaining, 'item')} left`}
        {limit === undefined ? '' : ` · usage limit until ${timeText(limit.next_at)}`}
        {queue.some(({ name }) => name === metadata.name) ? ' · in the queue' : ''}
      </div>
      <div class="acts">
        {left?.type === 'waiting' ? (
          <a class="btn sm" href={to(ws, 'loops', metadata.name)}>
            Answer
          </a>
        ) : (
          <LoopActions ws={ws} name={metadata.name} isRunning={isRunning} />
        )}
        <a class="btn sm ghost" href={to(ws, 'loops', metadata.name)}>
          Iterations
        </a>
      </div>
    </section>
  );
}

function sumOf(loops: number, queued: number): string {
  return `${plural(loops, 'loop')}${queued === 0 ? '' : `, ${queued} in the queue`}.`;
}

export function LoopActions(props: {
  readonly ws: string;
  readonly name: string;
  readonly isRunning: boolean;
}) {
  const { ws, name, isRunning } = props;
  if (isReadOnly()) return null;
  return isRunning ? (
    <>
      <Button label="Pause" kind="sm" onClick={() => act(ws, { command: 'iterate-pause', name })} />
      <Button
        label="Stop after its iteration"
        kind="sm ghost"
        onClick={() => act(ws, { command: 'iterate-stop', name })}
      />
    </>
  ) : (
    <Button label="Run" kind="sm" onClick={() => act(ws, { command: 'iterate-run', name })} />
  );
}
