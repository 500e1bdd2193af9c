/** Requests to the server. The token comes in the fragment of the address, is kept by the browser, and leaves the address (S5). */
import { signal } from '@preact/signals';
import type { WorkflowInputs } from '../src/operations/definitions/inputs.ts';
import type { RunSummary } from '../src/operations/live/run-summary.ts';

export interface WorkspaceInfo {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly home: string;
  readonly has_workers: boolean;
}

export interface About {
  readonly version: string;
  readonly read_only: boolean;
  readonly workspaces: readonly WorkspaceInfo[];
}

export interface RunsFound {
  readonly runs: readonly RunSummary[];
  /** Those that ask or run, whatever the filter. */
  readonly now: readonly RunSummary[];
  /** What the runs since the start of the day cost. */
  readonly today?: {
    readonly agent_calls: number;
    readonly cost_usd: number;
    readonly unknown_cost_calls: number;
  };
  readonly total: number;
  readonly all: number;
  readonly counts: { readonly [status: string]: number };
  readonly kinds: readonly string[];
  readonly revision: number;
}

const STORED = 'orchestrate-token';

export const about = signal<About | undefined>(undefined);
/** Also until the server has said what may be done. */
export function isReadOnly(): boolean {
  return about.value?.read_only !== false;
}

/** Why the page shows nothing. */
export const trouble = signal<string | undefined>(undefined);
/** The last thing that was done, in words. */
export const notice = signal<{ readonly text: string; readonly isError: boolean } | undefined>(undefined);

let token = '';

export function takeToken(): void {
  const given = /[#&]token=([A-Za-z0-9_-]+)/.exec(location.hash)?.[1];
  if (given !== undefined) {
    localStorage.setItem(STORED, given);
    history.replaceState(null, '', location.pathname + location.search);
  }
  token = given ?? localStorage.getItem(STORED) ?? '';
}

export function authorization(): { readonly Authorization: string } {
  return { Authorization: `Bearer ${token}` };
}

export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

async function request(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`/api/v1/${path}`, {
      ...init,
      // A run that has just been removed must not be an error in the console.
      headers: { ...authorization(), prefer: 'problems=in-body', ...init.headers },
    });
  } catch {
    throw new Refusal(0, 'The server does not answer.');
  }
  if (response.status === 401) {
    trouble.value = 'The token is missing or wrong. Open the address that orchestrate serve printed.';
    throw new Refusal(401, trouble.value);
  }
  return response;
}

function statusOf({ status, headers }: Response): number {
  return Number(headers.get('x-status') ?? status);
}

/** What a route answers; throws its problem. */
async function answered(path: string): Promise<Response> {
  const response = await request(path);
  const status = statusOf(response);
  if (status < 400) return response;
  const body = await response.json();
  throw new Refusal(status, body?.problem?.message ?? `status ${status}`);
}

export async function getJson<Value>(path: string): Promise<Value> {
  return (await (await answered(path)).json()) as Value;
}

export interface TextPart {
  readonly text: string;
  readonly size: number;
  readonly from: number;
}

export async function getText(path: string): Promise<TextPart> {
  const response = await answered(path);
  return {
    text: await response.text(),
    size: Number(response.headers.get('x-size') ?? 0),
    from: Number(response.headers.get('x-from') ?? 0),
  };
}

/** A problem is said like that of an action. */
export async function download(path: string, name: string): Promise<void> {
  try {
    const response = await answered(path);
    const url = URL.createObjectURL(await response.blob());
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    URL.revokeObjectURL(url);
  } catch (cause) {
    notice.value = { text: cause instanceof Error ? cause.message : String(cause), isError: true };
  }
}

export interface Done {
  readonly ok: boolean;
  readonly said: string;
  readonly run?: string;
  readonly workflow?: WorkflowInputs;
}

interface Action {
  readonly command: string;
  readonly [field: string]: unknown;
}

/** Does something, and says what came of it. */
export async function act(ws: string, action: Action): Promise<Done> {
  const done = await send(ws, action);
  notice.value = { text: done.said, isError: !done.ok };
  return done;
}

/** The inputs of a workflow, for a form; undefined if it cannot be loaded, which is said. */
export async function inputsOf(ws: string, file: string): Promise<WorkflowInputs | undefined> {
  const done = await send(ws, { command: 'inputs', file });
  if (!done.ok) notice.value = { text: done.said, isError: true };
  return done.workflow;
}

async function send(ws: string, action: Action): Promise<Done> {
  try {
    const response = await request(`w/${ws}/actions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(action),
    });
    const body: Partial<Done> & { readonly problem?: { readonly message?: string } } = await response.json();
    return { ...body, ok: body.ok === true, said: body.said ?? body.problem?.message ?? 'Refused.' };
  } catch (cause) {
    return { ok: false, said: cause instanceof Error ? cause.message : String(cause) };
  }
}

export async function loadAbout(): Promise<void> {
  try {
    about.value = await getJson<About>('workspaces');
    trouble.value = undefined;
  } catch (cause) {
    trouble.value ??= cause instanceof Error ? cause.message : String(cause);
  }
}
