/** What needs me, what is running? */
import { useState } from 'preact/hooks';
import type { RunSummary } from '../../src/operations/live/run-summary.ts';
import { isReadOnly, type RunsFound } from '../api.ts';
import { Icon } from '../icons.tsx';
import type { LiveMessage } from '../live/stream.ts';
import { Button, Empty } from '../parts.tsx';
import { go, route, to } from '../route.ts';
import { Cards, isNow } from '../runs/cards.tsx';
import { askedRuns, Filters, startOfDay, withoutFilters } from '../runs/filters.tsx';
import { RunRow } from '../runs/row.tsx';
import { useRowKeys } from '../runs/row-keys.ts';
import { Sum } from '../runs/sum.tsx';
import { useLiveData } from '../use-data.ts';
import { plural } from '../words.ts';

const PAGE = 50;
const MORE = 100;
const MOST = 500;

export function Runs({ ws, onStart, onClean }: { readonly ws: string; onStart(): void; onClean(): void }) {
  const wanted = askedRuns(route.value.query);
  const isWhole = Object.keys(wanted).length === 0;
  const [limit, setLimit] = useState(PAGE);
  const asked = new URLSearchParams({
    ...{ limit: String(limit), today: startOfDay(new Date()) },
    ...wanted,
  });
  const { value, problem } = useLiveData<RunsFound>(`w/${ws}/runs?${asked}`, 'runs', {
    ms: 1000,
    apply: (before, message) => (message.ws === ws ? merged(before, message, isWhole) : before),
  });
  const runs = value?.runs ?? [];
  const [at, setAt] = useRowKeys(runs, (run) => go(to(ws, 'runs', run.run_id)));
  return (
    <main class="page" tabIndex={-1}>
      <div class="toph">
        <h1>Runs</h1>
        <span class="right">
          {isReadOnly() ? null : (
            <>
              <button type="button" class="btn ghost" onClick={onClean}>
                Clean up…
              </button>
              <button type="button" class="btn primary" onClick={onStart}>
                <Icon name="plus" />
                Start a workflow
                <kbd>N</kbd>
              </button>
            </>
          )}
        </span>
      </div>
      <p class="sum">{value === undefined ? ' ' : <Sum found={value} />}</p>
      {problem === undefined ? null : (
        <p class="banner" role="alert">
          {problem.message}
        </p>
      )}
      <Cards ws={ws} runs={value?.now ?? []} />
      <Filters found={value} />
      {value !== undefined && runs.length === 0 ? (
        <None isAny={value.all > 0} />
      ) : (
        <div class="card tbl">
          <div class="th" aria-hidden="true">
            <div>Status</div>
            <div>Run</div>
            <div>Steps, by time</div>
            <div>Started</div>
            <div class="num">Worked</div>
            <div class="num">Cost</div>
            <div />
          </div>
          {runs.map((run, index) => (
            <RunRow key={run.run_id} ws={ws} run={run} isOn={index === at} onPoint={() => setAt(index)} />
          ))}
        </div>
      )}
      {value !== undefined && value.total > runs.length ? (
        <p class="sum">
          {limit < MOST ? (
            <Button
              label={`Show more of ${plural(value.total, 'run')}`}
              onClick={() => setLimit(Math.min(MOST, limit + MORE))}
            />
          ) : (
            `The newest ${MOST} of ${plural(value.total, 'run')}. Search, or choose a time, for the others.`
          )}
        </p>
      ) : null}
    </main>
  );
}

function None({ isAny }: { readonly isAny: boolean }) {
  return isAny ? (
    <Empty text="No run matches. All of them, in a terminal:" command="orchestrate runs --limit 0">
      <Button label="Clear the filters" onClick={() => go(withoutFilters())} />
    </Empty>
  ) : (
    <Empty text="No runs yet. Start one here, or in a terminal:" command="orchestrate run workflow.yaml" />
  );
}

/** Counts follow with the next answer. */
function merged(before: RunsFound, message: LiveMessage, isWhole: boolean): RunsFound {
  const changed = (message['changed'] ?? []) as readonly RunSummary[];
  const removed = new Set((message['removed'] ?? []) as readonly string[]);
  const revision = Number(message['revision']);
  if (revision <= before.revision || changed.length + removed.size === 0) return before;
  const join = (runs: readonly RunSummary[]) =>
    [...new Map([...runs, ...changed].map((run) => [run.run_id, run])).values()]
      .filter(({ run_id }) => !removed.has(run_id))
      .sort((a, b) => (a.run_id < b.run_id ? 1 : -1));
  const runs = isWhole ? join(before.runs) : before.runs;
  return { ...before, revision, runs, now: join(before.now).filter(isNow) };
}
