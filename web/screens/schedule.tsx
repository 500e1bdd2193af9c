/** What starts by itself, when, and what waits for its turn? */
import type { ScheduleData, ScheduleScreen } from '../../src/operations/schedules/schedule-data.ts';
import { act, isReadOnly } from '../api.ts';
import { ActionTable, Button, Empty, Pill } from '../parts.tsx';
import { to } from '../route.ts';
import { useLiveData } from '../use-data.ts';
import { plural, timeText } from '../words.ts';
import { ScreenPage } from './screen.tsx';

export function Schedule({ ws }: { readonly ws: string }) {
  const { value, problem, again } = useLiveData<ScheduleScreen>(`w/${ws}/schedule?starts=6`, 'schedule');
  const change = async (action: { readonly command: string; readonly [field: string]: unknown }) => {
    await act(ws, action);
    await again();
  };
  return (
    <ScreenPage title="Schedule" problem={problem} sum={value === undefined ? ' ' : sumOf(value)}>
      {value?.schedules.length === 0 && value.queue.length === 0 ? (
        <Empty
          text="No workflow in workflows/ has a schedule. Add `schedule: [{cron: 0 3 * * *}]` to one, and keep the server running:"
          command="orchestrate schedule next"
        />
      ) : null}
      {value !== undefined && value.schedules.length > 0 ? (
        <div class="card">
          <ActionTable columns={['Workflow', 'Times', 'Next', 'Last']}>
            {value.schedules.map((schedule) => (
              <ScheduleRow key={schedule.id} ws={ws} schedule={schedule} onChange={change} />
            ))}
          </ActionTable>
        </div>
      ) : null}
      {value !== undefined && value.next.length > 0 ? (
        <section class="card item" aria-label="Next starts">
          <div class="top">Next starts</div>
          <ol class="starts">
            {value.next.map(({ at, id, file }) => (
              <li key={`${at} ${id}`}>
                <b class="num">{timeText(at)}</b> <span class="mono">{file}</span>{' '}
                <span class="faint">in {untilText(at)}</span>
              </li>
            ))}
          </ol>
        </section>
      ) : null}
      {value !== undefined && value.queue.length > 0 ? (
        <Queue ws={ws} screen={value} onChange={change} />
      ) : null}
      {(value?.invalid ?? []).map((each) => (
        <p class="banner" key={each.file}>
          {each.file}: {each.problem}
        </p>
      ))}
    </ScreenPage>
  );
}

type Change = (action: { readonly command: string; readonly [field: string]: unknown }) => Promise<void>;

function ScheduleRow({
  ws,
  schedule,
  onChange,
}: {
  readonly ws: string;
  readonly schedule: ScheduleData;
  readonly onChange: Change;
}) {
  const { file, workflow, cron, timezone, next, last, last_run: run, last_skipped: skipped } = schedule;
  return (
    <tr>
      <td>
        <b>{workflow}</b>
        <div class="faint mono">{file}</div>
      </td>
      <td>
        <code>{cron}</code>
        <div class="faint">
          {timezone ?? 'local time'} · {OVERLAP[schedule.overlap] ?? schedule.overlap}
        </div>
      </td>
      <td>
        {schedule.paused ? <Pill status="skipped" word="Paused" /> : next === null ? 'never' : timeText(next)}
        {next === null ? null : <div class="faint">in {untilText(next)}</div>}
      </td>
      <td>
        {last === null ? (
          <span class="faint">not yet</span>
        ) : run === null ? (
          timeText(last)
        ) : (
          <a class="link" href={to(ws, 'runs', run)}>
            {timeText(last)}
          </a>
        )}
        {skipped === null ? null : (
          <div class="faint">
            skipped {timeText(skipped.due)}: {skipped.problem ?? skipped.why}
          </div>
        )}
      </td>
      <td class="num">
        {isReadOnly() ? null : (
          <Button
            label={schedule.paused ? 'Resume' : 'Pause'}
            kind="sm"
            onClick={() =>
              onChange({ command: schedule.paused ? 'schedule-resume' : 'schedule-pause', workflow: file })
            }
          />
        )}
      </td>
    </tr>
  );
}

const OVERLAP: { readonly [overlap: string]: string } = {
  skip: 'skipped while one runs',
  queue: 'queued while one runs',
  cancel: 'replaces the one that runs',
};

function Queue({
  ws,
  screen,
  onChange,
}: {
  readonly ws: string;
  readonly screen: ScheduleScreen;
  readonly onChange: Change;
}) {
  return (
    <div class="card">
      <div class="cardhead">
        Queue of runs<span class="faint sub">at most {plural(screen.max_runs, 'run')} at once</span>
      </div>
      <ActionTable columns={['Run', 'Queued', '#Priority']}>
        {screen.queue.map((queued) => (
          <tr key={queued.run_id}>
            <td>
              <b>{queued.workflow}</b>
              <div class="faint mono">
                <a href={to(ws, 'runs', queued.run_id)}>{queued.run_id}</a>
              </div>
            </td>
            <td>{timeText(queued.queued_at)}</td>
            <td class="num">{queued.priority}</td>
            <td class="num">
              {isReadOnly() ? null : (
                <span class="acts">
                  <Button
                    label="Sooner"
                    kind="sm"
                    onClick={() =>
                      onChange({
                        command: 'schedule-move',
                        run: queued.run_id,
                        priority: queued.priority + 1,
                      })
                    }
                  />
                  <Button
                    label="Remove"
                    kind="sm ghost"
                    onClick={() => onChange({ command: 'schedule-drop', run: queued.run_id })}
                  />
                </span>
              )}
            </td>
          </tr>
        ))}
      </ActionTable>
    </div>
  );
}

function sumOf({ schedules, queue, keeper }: ScheduleScreen): string {
  const parts = [plural(schedules.length, 'schedule')];
  if (queue.length > 0) parts.push(`${plural(queue.length, 'run')} in the queue`);
  const started = keeper === null ? 'Nothing starts them: this server was started with --no-keep.' : '';
  return `${parts.join(', ')}. ${started}`;
}

function untilText(at: string): string {
  const minutes = Math.max(0, Math.round((Date.parse(at) - Date.now()) / 60_000));
  if (minutes < 60) return plural(minutes, 'minute');
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return plural(Math.round(minutes / 1440), 'day');
}
