/** Which machines carry out runs, and what do they do now? */
import type { ListedWorker } from '../../src/operations/workers.ts';
import { Empty } from '../parts.tsx';
import { to } from '../route.ts';
import { useLiveData } from '../use-data.ts';
import { plural } from '../words.ts';
import { ScreenPage } from './screen.tsx';

interface Found {
  readonly workers: readonly ListedWorker[];
}

export function Workers({ ws }: { readonly ws: string }) {
  const { value, problem } = useLiveData<Found>(`w/${ws}/workers`, 'workers');
  const workers = value?.workers ?? [];
  return (
    <ScreenPage title="Workers" problem={problem} sum={value === undefined ? ' ' : sumOf(workers)}>
      {value !== undefined && workers.length === 0 ? (
        <Empty text="No worker is running. Start one, on any machine:" command="orchestrate worker" />
      ) : null}
      {workers.length === 0 ? null : (
        <div class="card table-scroll">
          <table class="plain">
            <thead>
              <tr>
                {['Worker', 'Takes', 'Version', 'Runs', 'Steps', 'Last heartbeat'].map((title) => (
                  <th key={title}>{title}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {workers.map((worker) => (
                <WorkerRow key={worker.executor} ws={ws} worker={worker} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </ScreenPage>
  );
}

function WorkerRow({ ws, worker }: { readonly ws: string; readonly worker: ListedWorker }) {
  const { name, machine, pid, version, labels, takes_runs, runs, calls, beat_age_ms } = worker;
  return (
    <tr>
      <td>
        <b>{name}</b>
        <div class="faint mono">
          {machine}, process {pid}
        </div>
      </td>
      <td>{[...(takes_runs ? ['runs'] : []), ...labels].join(', ')}</td>
      <td class="mono">{version}</td>
      <td>
        {runs.length === 0
          ? '–'
          : runs.map((run) => (
              <div key={run}>
                <a class="mono" href={to(ws, 'runs', run)}>
                  {run}
                </a>
              </div>
            ))}
      </td>
      <td class="mono">
        {calls.length === 0 ? '–' : calls.map((call) => <div key={call}>{stepOf(call)}</div>)}
      </td>
      <td>{(beat_age_ms / 1000).toFixed(1)} s ago</td>
    </tr>
  );
}

/** `<run>/<key>~<attempt>` → `<key>`. */
function stepOf(call: string): string {
  return call.slice(call.indexOf('/') + 1).replace(/~[\d.]+$/, '');
}

function sumOf(workers: readonly ListedWorker[]): string {
  const count = (of: (worker: ListedWorker) => number): number =>
    workers.reduce((sum, worker) => sum + of(worker), 0);
  const runs = plural(
    count(({ runs: hosted }) => hosted.length),
    'run',
  );
  const steps = plural(
    count(({ calls }) => calls.length),
    'step',
  );
  return `${plural(workers.length, 'worker')}, ${runs}, ${steps}.`;
}
