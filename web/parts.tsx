/** Small parts that several screens show. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Field } from '../src/model/field.ts';
import type { OpenQuestion, RunSummary } from '../src/operations/live/run-summary.ts';
import type { ShownQuestion } from '../src/operations/runs/read-question.ts';
import { act, isReadOnly } from './api.ts';
import { DiffView } from './diff.tsx';
import { Icon } from './icons.tsx';
import { useData } from './use-data.ts';
import { useNow } from './use-now.ts';
import { changesFile, durationText, STATUS_WORDS, TONE } from './words.ts';

export function Pill({ status, word }: { readonly status: string; readonly word?: string }) {
  return (
    <span class={`pill s-${TONE[status] ?? 'skip'}`}>
      <Icon name={status} />
      {word ?? STATUS_WORDS[status] ?? status}
    </span>
  );
}

/** Nothing is there: the command that changes that. */
export function Empty(props: {
  readonly text: string;
  readonly command: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="card empty">
      <p>{props.text}</p>
      <code>{props.command}</code>
      {props.children}
    </div>
  );
}

/** A table whose rows end with their buttons; on a phone each row is a block. */
export function ActionTable(props: {
  /** A column of numbers is marked by `#`. */
  readonly columns: readonly string[];
  readonly children: ComponentChildren;
}) {
  return (
    <table class="plain stack">
      <thead>
        <tr>
          {props.columns.map((name) =>
            name.startsWith('#') ? (
              <th key={name} class="num">
                {name.slice(1)}
              </th>
            ) : (
              <th key={name}>{name}</th>
            ),
          )}
          <th>
            <span class="sr">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>{props.children}</tbody>
    </table>
  );
}

/** How long a run has worked; that of a running one grows. */
export function Worked({ run }: { readonly run: RunSummary }) {
  const isGrowing = run.status === 'running' && run.sleeps_until === undefined;
  return isGrowing ? <Growing run={run} /> : <span>{durationText(run.duration_ms)}</span>;
}

function Growing({ run }: { readonly run: RunSummary }) {
  const since = Math.max(0, useNow() - Date.parse(run.updated_at));
  return <span>{durationText(run.duration_ms + since)}</span>;
}

export function Button(props: {
  readonly label: string;
  readonly kind?: string;
  readonly disabled?: boolean;
  onClick(): unknown;
}) {
  const [isBusy, setBusy] = useState(false);
  return (
    <button
      type="button"
      class={`btn ${props.kind ?? ''}`}
      disabled={isBusy || props.disabled === true}
      onClick={async (event) => {
        event.stopPropagation();
        setBusy(true);
        try {
          await props.onClick();
        } finally {
          setBusy(false);
        }
      }}
    >
      {props.label}
    </button>
  );
}

/** Resumes a run that failed or was interrupted; with the file as it is now if it had to be changed. */
export function ResumeButton(props: {
  readonly ws: string;
  readonly run: RunSummary;
  readonly kind: string;
}) {
  const { ws, run, kind } = props;
  const accepted = changesFile(run) ? { accept_changes: true } : {};
  return (
    <Button
      label="Resume"
      kind={kind}
      onClick={() => act(ws, { command: 'resume', run: run.run_id, ...accepted })}
    />
  );
}

/** Cancels a run if that is what the user wants: it is for good. */
export function cancelRun(
  ws: string,
  { run_id: run, title }: Pick<RunSummary, 'run_id' | 'title'>,
): Promise<unknown> | undefined {
  return confirm(`Cancel ${title}? A cancelled run cannot be resumed.`)
    ? act(ws, { command: 'cancel', run })
    : undefined;
}

/** Any text is an answer to it. */
export function takesText({ choices, fields = [] }: Pick<OpenQuestion, 'choices' | 'fields'>): boolean {
  return choices.length === 0 && fields.length === 0;
}

/** The buttons of a question; a line to write on if any text is an answer. A choice is never pre-chosen. */
export function Choices(props: {
  readonly ws: string;
  readonly run: string;
  readonly question: OpenQuestion;
  readonly size?: string;
  readonly comment?: string;
}) {
  const { ws, run, question } = props;
  const [values, setValues] = useState<{ readonly [name: string]: string }>({});
  const [text, setText] = useState('');
  if (isReadOnly()) return null;
  const hasChoices = question.choices.length > 0;
  const isFreeText = takesText(question);
  const answer = (choice?: string) =>
    act(ws, {
      command: 'approve',
      ...{ run, step: question.key },
      ...(choice === undefined ? {} : { choice }),
      ...(question.fields === undefined ? {} : { values }),
      ...(props.comment === undefined || props.comment === '' ? {} : { comment: props.comment }),
    });
  return (
    <>
      {question.fields === undefined ? null : (
        <Fields fields={question.fields} values={values} onChange={setValues} />
      )}
      {question.choices.map((choice) => (
        <Button
          key={choice}
          label={choice}
          kind={`choice ${props.size ?? ''} ${choice.length > 16 ? 'long' : ''}`}
          onClick={() => answer(choice)}
        />
      ))}
      {isFreeText ? (
        <textarea
          class="answer"
          rows={1}
          aria-label={`Answer to ${question.key}`}
          placeholder="Your answer"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      ) : null}
      {hasChoices ? null : (
        <Button
          label="Answer"
          kind={`choice ${props.size ?? ''}`}
          disabled={isFreeText && text.trim() === ''}
          onClick={() => answer(isFreeText ? text : undefined)}
        />
      )}
    </>
  );
}

/** What a question is about, to be read before the answer: the whole input of a tool call, or a patch. */
export function AskedAbout(props: {
  readonly ws: string;
  readonly run: string;
  readonly question: Pick<OpenQuestion, 'key' | 'has_more'>;
}) {
  const { ws, run, question } = props;
  const path = `w/${ws}/runs/${run}/questions/${encodeURIComponent(question.key)}`;
  const { value } = useData<ShownQuestion>(question.has_more === true ? path : undefined);
  if (value === undefined) return null;
  const { detail, diff, omittedLines } = value;
  return (
    <div class="about">
      {detail === undefined ? null : <pre aria-label="Tool call">{detail}</pre>}
      {diff === undefined ? null : <DiffView patch={diff} />}
      {omittedLines === undefined ? null : (
        <div class="quiet">{omittedLines.toLocaleString('en')} more lines are in the run.</div>
      )}
    </div>
  );
}

export function Fields(props: {
  readonly fields: readonly Field[];
  readonly values: { readonly [name: string]: string };
  onChange(values: { readonly [name: string]: string }): void;
}) {
  return (
    <div class="fields">
      {props.fields.map((field) => {
        const set = (event: Event) =>
          props.onChange({
            ...props.values,
            [field.name]: (event.currentTarget as HTMLInputElement).value,
          });
        const value = props.values[field.name] ?? '';
        const choices = field.type === 'boolean' ? ['true', 'false'] : field.choices;
        return (
          <label key={field.name}>
            <span>
              {field.name}
              {field.required ? '' : ' (optional)'}
              {field.description === undefined ? null : <span class="faint"> {field.description}</span>}
            </span>
            {choices === undefined ? (
              <input
                value={value}
                onInput={set}
                placeholder={field.default === undefined ? '' : String(field.default)}
              />
            ) : (
              <select value={value} onChange={set}>
                <option value="">
                  {field.default === undefined ? 'Choose' : `default: ${field.default}`}
                </option>
                {choices.map((choice) => (
                  <option key={choice}>{choice}</option>
                ))}
              </select>
            )}
          </label>
        );
      })}
    </div>
  );
}

/** Tabs of a pane; the arrow keys move between them. */
export function TabBar(props: {
  readonly tabs: readonly (readonly [name: string, word: string, count?: number | undefined])[];
  readonly chosen: string;
  onChoose(name: string): void;
}) {
  const move = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const at = props.tabs.findIndex(([name]) => name === props.chosen);
    const next = props.tabs[(at + by + props.tabs.length) % props.tabs.length];
    if (next === undefined) return;
    props.onChoose(next[0]);
    (event.currentTarget as HTMLElement).querySelector<HTMLElement>(`[data-tab=${next[0]}]`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" onKeyDown={move}>
      {props.tabs.map(([name, word, count]) => (
        <button
          type="button"
          role="tab"
          key={name}
          data-tab={name}
          tabIndex={name === props.chosen ? 0 : -1}
          aria-selected={name === props.chosen}
          onClick={() => props.onChoose(name)}
        >
          {word}
          {count === undefined ? null : <i> {count}</i>}
        </button>
      ))}
    </div>
  );
}
