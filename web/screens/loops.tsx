/** Which loops are there, how far are they, what stopped them? */
import type { ListedLoops } from '../../src/operations/loops/list-loops.ts';
import { about, act } from '../api.ts';
import { Button, Empty, Pill } from '../parts.tsx';
import { to } from '../route.ts';
import { useLiveData } from '../use-data.ts';
import { plural, timeText } from '../words.ts';
import { ScreenPage } from './screen.tsx';

interface Found {
  readonly loops: ListedLoops['found'];
  readonly unreadable: ListedLoops['unreadable'];
}

const SHOWN: { readonly [status: string]: string } = {
  in_progress: 'running',
  completed: 'completed',
  error: 'failed',
};
const WORDS: { readonly [status: string]: string } = {
  in_progress: 'In progress',
  completed: 'Completed',
  error: 'Error',
};

export function Loops({ ws }: { readonly ws: string }) {
  const { value, problem } = useLiveData<Found>(`w/${ws}/loops`, 'runs');
  const loops = value?.loops ?? [];
  return (
    <ScreenPage
      title="Loops"
      problem={problem}
      sum={value === undefined ? ' ' : plural(loops.length, 'loop')}
    >
      {value !== undefined && loops.length === 0 ? (
        <Empty text="No loops yet. Create one:" command="orchestrate iterate init my-task" />
      ) : null}
      {loops.map(({ metadata, limit }) => (
        <section class="card item" key={metadata.name} aria-label={metadata.name}>
          <div class="top">
            <Pill
              status={SHOWN[metadata.status] ?? 'skipped'}
              word={WORDS[metadata.status] ?? metadata.status}
            />
            {metadata.name}
            <span class="faint">{metadata.mode}</span>
            <span class="ago">
              {metadata.lastRun === undefined ? 'never run' : timeText(metadata.lastRun)}
            </span>
          </div>
          <div class="quiet">
            {plural(metadata.totalIterations, 'iteration')}
            {metadata.stopReason === undefined ? '' : ` · ${metadata.stopReason}`}
            {limit === undefined ? '' : ` · usage limit until ${timeText(limit.next_at)}`}
          </div>
          <div class="acts">
            {about.value?.read_only === true ? null : (
              <>
                <Button
                  label="Run"
                  kind="sm"
                  onClick={() => act(ws, { command: 'iterate-run', name: metadata.name })}
                />
                <Button
                  label="Stop after its iteration"
                  kind="sm ghost"
                  onClick={() => act(ws, { command: 'iterate-stop', name: metadata.name })}
                />
              </>
            )}
            <a
              class="btn sm ghost"
              href={`${to(ws, 'runs')}?kind=iterate&q=${encodeURIComponent(metadata.name)}`}
            >
              Its runs
            </a>
          </div>
        </section>
      ))}
      {(value?.unreadable ?? []).map(({ name, reason }) => (
        <p class="banner" key={name}>
          {name}: {reason}
        </p>
      ))}
    </ScreenPage>
  );
}
