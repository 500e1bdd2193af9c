/** One step: what it was asked, what it said, what came of it, and why it ran. */
import { useEffect, useState } from 'preact/hooks';
import { AGENT_NAMES } from '../../src/model/agent.ts';
import type { StepDetail } from '../../src/operations/live/step-detail.ts';
import type { StepFiles as Found } from '../../src/operations/live/step-files.ts';
import type { StepRow } from '../../src/operations/live/step-row.ts';
import type { Explanation } from '../../src/operations/live/why.ts';
import { act, isReadOnly } from '../api.ts';
import { Icon } from '../icons.tsx';
import { Button, TabBar } from '../parts.tsx';
import { go, to, withQuery } from '../route.ts';
import { useData } from '../use-data.ts';
import { useNow } from '../use-now.ts';
import {
  durationText,
  numberText,
  STATUS_WORDS,
  shownStatus,
  stepCostText,
  TONE,
  timeText,
} from '../words.ts';
import { LogView } from './log-view.tsx';
import { StepFiles } from './step-files.tsx';
import { StepProof } from './step-proof.tsx';
import { Transcript } from './transcript.tsx';

const TABS = [
  ['transcript', 'Transcript'],
  ['prompt', 'Prompt'],
  ['log', 'Log'],
  ['files', 'Files'],
  ['proof', 'Proof'],
  ['result', 'Result'],
  ['why', 'Why'],
] as const;

export function StepPanel(props: {
  readonly at: string;
  readonly runId: string;
  readonly ws: string;
  readonly row: StepRow;
  readonly path: readonly string[];
  readonly tab: string;
  /** It has few records: looking for the files of a step reads all of them. */
  readonly isSmall: boolean;
}) {
  const { row, ws, runId } = props;
  const at = `${props.at}/steps/${encodeURIComponent(row.key)}`;
  const { value, again } = useData<StepDetail>(at);
  useEffect(() => void again(), [row.status, row.attempts]);
  const has = (stream: string) => value?.logs.some((log) => log.stream === stream) === true;
  const isOver = row.status !== 'running' && row.status !== 'waiting' && row.status !== 'skipped';
  const files = useData<Found>(
    isOver && (props.isSmall || props.tab === 'files') ? `${at}/files` : undefined,
  ).value;
  const tabs = TABS.filter(
    ([name]) =>
      name === 'why' ||
      (name === 'proof' && value?.proof !== undefined) ||
      (name === 'files' && isOver && (!props.isSmall || (files?.files.length ?? 0) > 0)) ||
      (name === 'result' && (value?.record !== undefined || value?.asked !== undefined)) ||
      (name === 'transcript' && isStructured(value?.adapter) && has('stdout')) ||
      (name === 'prompt' && has('prompt')) ||
      (name === 'log' && (has('stdout') || has('stderr'))),
  );
  const tab = tabs.some(([name]) => name === props.tab) ? props.tab : (tabs[0]?.[0] ?? 'why');
  const { path } = props;
  const tokens =
    row.tokens === undefined
      ? '–'
      : row.tokens === null
        ? 'unknown'
        : `${numberText(row.tokens.input)} in, ${numberText(row.tokens.output)} out`;
  const counts: { readonly [tab: string]: number | undefined } = { files: files?.files.length };
  return (
    <section class="card pane" aria-label={`Step ${row.key}`}>
      <div class="ph">
        <h2>
          <span
            class={`c-${TONE[shownStatus(row)] ?? 'skip'}`}
            title={STATUS_WORDS[shownStatus(row)] ?? row.status}
          >
            <Icon name={shownStatus(row)} />
          </span>
          <span>
            {path.length > 1 ? <span class="path">{path.slice(0, -1).join(' / ')} / </span> : null}
            {path.at(-1)}
          </span>
          {row.status === 'failed' && !isReadOnly() ? (
            <span class="right">
              <Button
                label="Retry"
                kind="sm"
                onClick={async () => {
                  const done = await act(ws, { command: 'retry', run: runId, step: row.key });
                  if (done.ok && done.run !== undefined && done.run !== runId) go(to(ws, 'runs', done.run));
                }}
              />
            </span>
          ) : null}
        </h2>
        <div class="kv">
          <span>{row.agent === undefined ? 'Status' : 'Agent'}</span>
          <span>Took</span>
          <span>Cost</span>
          <span>Tokens</span>
          <b>
            {row.agent ?? STATUS_WORDS[row.status] ?? row.status}
            {row.agent === undefined || value?.adapter === undefined || value.adapter === row.agent ? null : (
              <span class="faint"> ({value.adapter})</span>
            )}
          </b>
          <b>
            <Took row={row} />
          </b>
          <b>
            {row.cost_usd === undefined ? '–' : (stepCostText(row) ?? '–').replace('cost unknown', 'unknown')}
          </b>
          <b>{tokens}</b>
        </div>
      </div>
      <TabBar
        tabs={tabs.map(([name, word]) => [name, word, counts[name]])}
        chosen={tab}
        onChoose={(name) => go(withQuery({ tab: name }), true)}
      />
      {tab === 'transcript' ? <Transcript key={row.key} at={at} status={row.status} detail={value} /> : null}
      {tab === 'prompt' ? <LogView key={`${row.key} prompt`} at={`${at}/prompt`} /> : null}
      {tab === 'log' && value !== undefined ? (
        <Logs key={row.key} at={at} runId={props.runId} row={row} detail={value} />
      ) : null}
      {tab === 'files' ? <StepFiles at={at} found={files} /> : null}
      {tab === 'proof' && value?.proof !== undefined ? <StepProof proof={value.proof} /> : null}
      {tab === 'result' && value !== undefined ? <Result detail={value} /> : null}
      {tab === 'why' ? <Why at={at} row={row} /> : null}
    </section>
  );
}

/** A command line that is used as an agent has no stream of events: its log says everything. */
function isStructured(adapter: string | undefined): boolean {
  return (AGENT_NAMES as readonly (string | undefined)[]).includes(adapter);
}

/** A step that runs counts. */
function Took({ row }: { readonly row: StepRow }) {
  if (row.duration_ms !== undefined) return durationText(row.duration_ms);
  return row.status === 'running' && row.started_at !== undefined ? <Since at={row.started_at} /> : '–';
}

function Since({ at }: { readonly at: string }) {
  return durationText(Math.max(0, useNow() - Date.parse(at)));
}

function Logs(props: {
  readonly at: string;
  readonly runId: string;
  readonly row: StepRow;
  readonly detail: StepDetail;
}) {
  const logs = props.detail.logs.filter(({ stream }) => stream === 'stdout' || stream === 'stderr');
  const [chosen, setChosen] = useState(() => preferred(props.row, logs));
  const log = logs[Math.min(chosen, logs.length - 1)];
  if (log === undefined) return null;
  return (
    <>
      {logs.length > 1 ? (
        <div class="logbar">
          <span class="seg">
            {logs.map((each, index) => (
              <button
                type="button"
                key={each.name}
                aria-pressed={each === log}
                onClick={() => setChosen(index)}
              >
                {each.stream}
                {each.try > 1 ? ` ${each.try}` : ''}
              </button>
            ))}
          </span>
        </div>
      ) : null}
      <LogView
        key={log.name}
        at={`${props.at}/log`}
        query={`stream=${log.stream}&try=${log.try}`}
        topic={`log:${props.runId}:${props.row.key}:${log.stream}:${log.try}`}
        canSearch
      />
    </>
  );
}

/** What a failed step printed on stderr. */
function preferred(row: StepRow, logs: StepDetail['logs']): number {
  const wanted = row.status === 'failed' ? 'stderr' : 'stdout';
  const found = logs.findLastIndex(({ stream }) => stream === wanted);
  return found === -1 ? logs.length - 1 : found;
}

function Result({ detail }: { readonly detail: StepDetail }) {
  const parts = [
    ['What it was asked', detail.asked],
    ['What it recorded', detail.record],
  ] as const;
  return (
    <div class="body">
      {parts.map(([title, value]) =>
        value === undefined ? null : (
          <section key={title}>
            <b>{title}</b>
            <pre>{JSON.stringify(value, null, 2).slice(0, 40_000)}</pre>
          </section>
        ),
      )}
    </div>
  );
}

function Why({ at, row }: { readonly at: string; readonly row: StepRow }) {
  const { value } = useData<Explanation>(`${at}/why`);
  return (
    <div class="body">
      {row.error === undefined ? null : <p class="banner">{row.error}</p>}
      <ul class="why">
        {(value?.reasons ?? []).map((reason, index) => (
          <li key={index}>
            <span class="faint">{timeText(reason.at)}</span>
            <Icon name={REASONS[reason.type] ?? 'open'} />
            <span>{reason.message.replaceAll('`', '')}</span>
          </li>
        ))}
      </ul>
      {value?.reasons.length === 0 ? (
        <p class="quiet">Nothing is recorded about this row itself; see the steps in it.</p>
      ) : null}
    </div>
  );
}

const REASONS: { readonly [type: string]: string } = {
  began: 'running',
  ended: 'completed',
  failed: 'failed',
  stopped: 'interrupted',
  skipped: 'skipped',
  retried: 'loops',
  waited: 'waiting',
  repeated: 'loops',
  asked: 'waiting',
  answered: 'completed',
  decided: 'open',
};
