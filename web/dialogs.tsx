import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { WorkflowInputs } from '../src/operations/definitions/inputs.ts';
import type { ListedWorkflow } from '../src/operations/workflows/list-workflows.ts';
import { act, inputsOf, notice } from './api.ts';
import { JUMP_KEY } from './keys.ts';
import { Button, Fields } from './parts.tsx';
import { go, to } from './route.ts';
import { useData } from './use-data.ts';

export function Dialog(props: {
  readonly title: string;
  readonly children: ComponentChildren;
  onClose(): void;
}) {
  const place = useRef<HTMLDialogElement>(null);
  useEffect(() => place.current?.showModal(), []);
  return (
    <dialog ref={place} aria-label={props.title} onClose={props.onClose}>
      <h2>{props.title}</h2>
      {props.children}
    </dialog>
  );
}

const KEYS: readonly (readonly [string, string])[] = [
  ['g r', 'runs'],
  ['g i', 'inbox'],
  ['g l · g s · g p', 'loops · sessions · phases'],
  ['g v · g q', 'conversations · queues'],
  ['g t · g c · g w', 'schedule · costs · workers'],
  [JUMP_KEY, 'jump to a screen or a run'],
  ['n', 'start a workflow'],
  ['/', 'search'],
  ['j · k', 'next · previous row'],
  ['Enter', 'open the row'],
  ['← · →', 'fold · unfold a step'],
  ['t · p · l', 'transcript · prompt · log of a step'],
  ['f · o · w', 'files · proof · why of a step'],
  ['Esc', 'close'],
];

export function KeysDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <div class="keys">
        {KEYS.map(([key, what]) => (
          <>
            <kbd>{key}</kbd>
            <span>{what}</span>
          </>
        ))}
      </div>
    </Dialog>
  );
}

export function StartDialog({ ws, onClose }: { readonly ws: string; onClose(): void }) {
  const { value } = useData<{ readonly workflows: readonly ListedWorkflow[] }>(`w/${ws}/workflows`);
  const [chosen, setChosen] = useState<string | undefined>();
  const workflows = value?.workflows ?? [];
  return (
    <Dialog title="Start a workflow" onClose={onClose}>
      {chosen !== undefined ? (
        <StartForm ws={ws} file={chosen} onClose={onClose} />
      ) : value !== undefined && workflows.length === 0 ? (
        <p class="muted">
          There is no workflow file at the top or in workflows/. Create one with <code>orchestrate init</code>
        </p>
      ) : (
        <div class="list">
          {workflows.map(({ file, name, description, mistakes, is_code }) => (
            <button
              type="button"
              key={file}
              disabled={mistakes !== undefined}
              onClick={() => setChosen(file)}
            >
              <b>{name}</b>
              <span class="faint mono">{file}</span>
              <span class="muted">
                {is_code === true
                  ? 'in code'
                  : mistakes === undefined
                    ? description
                    : mistakes === 1
                      ? '1 mistake'
                      : `${mistakes} mistakes`}
              </span>
            </button>
          ))}
        </div>
      )}
    </Dialog>
  );
}

function StartForm({ ws, file, onClose }: { readonly ws: string; readonly file: string; onClose(): void }) {
  const [value, setValue] = useState<WorkflowInputs | undefined>();
  const [values, setValues] = useState<{ readonly [name: string]: string }>({});
  const [text, setText] = useState('');
  useEffect(() => {
    void inputsOf(ws, file).then((found) => (found === undefined ? onClose() : setValue(found)));
  }, [ws, file]);
  if (value === undefined) return <p class="muted">Loading {file}…</p>;
  const filled = Object.fromEntries(Object.entries(values).filter(([, each]) => each !== ''));
  const given = value.takes_anything === true ? parsed(text) : filled;
  return (
    <>
      <p class="muted">
        {value.name} <span class="faint mono">{file}</span>
      </p>
      <p class="muted">{value.description}</p>
      {value.takes_anything === true ? (
        <div class="fields">
          <label>
            <span>
              input (optional)<span class="faint"> a JSON object</span>
            </span>
            <textarea
              rows={4}
              class="mono"
              value={text}
              placeholder="{}"
              aria-invalid={given === undefined}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </label>
        </div>
      ) : (
        <Fields fields={value.inputs} values={values} onChange={setValues} />
      )}
      <p class="item acts">
        <Button
          label="Start"
          kind="primary"
          onClick={async () => {
            if (given === undefined) {
              notice.value = { text: 'The input is not a JSON object.', isError: true };
              return;
            }
            const done = await act(ws, { command: 'run', file, inputs: given });
            if (!done.ok) return;
            onClose();
            if (done.run !== undefined) go(to(ws, 'runs', done.run));
          }}
        />
      </p>
    </>
  );
}

/** Undefined if it is not a JSON object. */
function parsed(text: string): object | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const AGES = [7, 30, 90] as const;

/** Removes old runs. An age is never pre-chosen. */
export function CleanDialog({ ws, onClose }: { readonly ws: string; onClose(): void }) {
  return (
    <Dialog title="Clean up" onClose={onClose}>
      <p class="muted">
        Removes runs that ended longer ago, with their logs. Runs that are open or in use are kept.
      </p>
      <p class="item acts">
        {AGES.map((days) => (
          <Button
            key={days}
            label={`${days} days`}
            kind="choice"
            onClick={async () => {
              await act(ws, { command: 'clean', days });
              onClose();
            }}
          />
        ))}
        <Button label="Keep all" kind="ghost" onClick={onClose} />
      </p>
    </Dialog>
  );
}
