/** Which phase is the task in, and what did the one before hand over? */
import type { FoundPhases } from '../../src/operations/phases/get-phases.ts';
import { act, isReadOnly } from '../api.ts';
import { Icon } from '../icons.tsx';
import { Button, Empty, Pill } from '../parts.tsx';
import { to } from '../route.ts';
import { useLive, useLiveData, useThrottled } from '../use-data.ts';
import { plural, TONE, timeText } from '../words.ts';
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
  const { value, problem, again } = useLiveData<Found>(`w/${ws}/phases`, 'phases');
  useLive(
    'runs',
    useThrottled(() => void again(), 500),
  );
  const phases = value?.document?.phases ?? [];
  const todos = value?.todos ?? [];
  const change = async (command: string, phase: string) => {
    await act(ws, { command, phase });
    await again();
  };
  return (
    <ScreenPage
      title={value?.document?.task ?? 'Phases'}
      problem={problem}
      sum={
        value?.document == null
          ? ' '
          : `${phases.filter(({ status }) => status === 'completed').length} of ${plural(phases.length, 'phase')} done`
      }
    >
      {phases.length === 0 ? null : <Rail phases={phases} />}
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
          {phase.deliverables.length === 0 ? null : (
            <ul class="files">
              {phase.deliverables.map((each) => (
                <li key={each}>
                  <Icon name="file" />
                  <span class="mono">{each}</span>
                </li>
              ))}
            </ul>
          )}
          {phase.context_for_next === '' ? null : (
            <div class="quiet">
              <b>Handed over:</b> {phase.context_for_next}
            </div>
          )}
          {(phase.attempts ?? 1) > 1 ? <div class="quiet">Started {phase.attempts} times.</div> : null}
          {isReadOnly() ? null : (
            <div class="acts">
              {phase.status === 'pending' ? (
                <Button label="Start" kind="sm" onClick={() => change('phase-start', phase.id)} />
              ) : null}
              {phase.status === 'active' ? (
                <>
                  <Button label="Complete" kind="sm" onClick={() => change('phase-complete', phase.id)} />
                  <Button
                    label="Mark failed"
                    kind="sm ghost"
                    onClick={() => change('phase-fail', phase.id)}
                  />
                </>
              ) : null}
              {phase.run_id === undefined ? null : (
                <a class="btn sm ghost" href={to(ws, 'runs', phase.run_id)}>
                  Open its run
                </a>
              )}
              {phase.status === 'failed' ? (
                <Button label="Retry" kind="sm" onClick={() => change('phase-retry', phase.id)} />
              ) : null}
            </div>
          )}
        </section>
      ))}
      {todos.length === 0 ? null : (
        <section class="card item" aria-label="Todo list of the agent">
          <div class="top">Todo list of the agent</div>
          <ul class="files">
            {todos.map(({ content, status }) => (
              <li key={content}>
                <Icon name={TODO[status] ?? 'skipped'} />
                {content}
              </li>
            ))}
          </ul>
        </section>
      )}
    </ScreenPage>
  );
}

const TODO: { readonly [status: string]: string } = { completed: 'completed', in_progress: 'running' };

/** All phases at a glance. */
function Rail({ phases }: { readonly phases: FoundPhases['document']['phases'] }) {
  return (
    <ol class="rail">
      {phases.map(({ id, title, status }) => (
        <li key={id} class={`s-${TONE[SHOWN[status] ?? 'skipped'] ?? 'skip'}`}>
          <Icon name={SHOWN[status] ?? 'skipped'} />
          {title}
        </li>
      ))}
    </ol>
  );
}
