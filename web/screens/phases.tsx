/** Which phase is the task in, and what did the one before hand over? */
import type { FoundPhases } from '../../src/operations/phases/get-phases.ts';
import { about, act } from '../api.ts';
import { Button, Empty, Pill } from '../parts.tsx';
import { useLiveData } from '../use-data.ts';
import { timeText } from '../words.ts';
import { ScreenPage } from './screen.tsx';

interface Found {
  readonly document: FoundPhases['document'] | null;
  readonly todos: FoundPhases['todos'];
}

const SHOWN: { readonly [status: string]: string } = {
  pending: 'skipped',
  active: 'running',
  completed: 'completed',
  failed: 'failed',
};
const WORDS: { readonly [status: string]: string } = {
  pending: 'Pending',
  active: 'Active',
  completed: 'Completed',
  failed: 'Failed',
};

export function Phases({ ws }: { readonly ws: string }) {
  const { value, problem, again } = useLiveData<Found>(`w/${ws}/phases`, 'runs');
  const phases = value?.document?.phases ?? [];
  const change = async (command: string, phase: string) => {
    await act(ws, { command, phase });
    await again();
  };
  return (
    <ScreenPage title="Phases" problem={problem} sum={value?.document?.task ?? ' '}>
      {value !== undefined && value.document === null ? (
        <Empty
          text="No phases yet. Split a task into phases:"
          command={'orchestrate phases create "Add a login page"'}
        />
      ) : null}
      {phases.map((phase, index) => (
        <section class="card item" key={phase.id} aria-label={phase.title}>
          <div class="top">
            <Pill status={SHOWN[phase.status] ?? 'skipped'} word={WORDS[phase.status] ?? phase.status} />
            {index + 1}. {phase.title}
            <span class="faint">{phase.agent}</span>
            <span class="ago">{timeText(phase.completed_at ?? phase.started_at)}</span>
          </div>
          {phase.error === undefined ? null : <pre class="c-bad">{phase.error}</pre>}
          {phase.context_for_next === '' ? null : <div class="quiet">{phase.context_for_next}</div>}
          {phase.deliverables.length === 0 ? null : (
            <div class="quiet mono">{phase.deliverables.join(', ')}</div>
          )}
          {about.value?.read_only === true ? null : (
            <div class="acts">
              {phase.status === 'pending' ? (
                <Button label="Start" kind="sm" onClick={() => change('phase-start', phase.id)} />
              ) : null}
              {phase.status === 'active' ? (
                <Button label="Complete" kind="sm" onClick={() => change('phase-complete', phase.id)} />
              ) : null}
              {phase.status === 'failed' ? (
                <Button label="Retry" kind="sm" onClick={() => change('phase-retry', phase.id)} />
              ) : null}
            </div>
          )}
        </section>
      ))}
    </ScreenPage>
  );
}
