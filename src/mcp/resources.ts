/** Documents of a workspace that agents can read: existing ones are listed, others are reached by URI template. */
import type { JsonValue } from '../model/json.ts';
import { error, ok, type Result } from '../model/result.ts';
import { listDocuments, readDocument } from '../operations/documents/read-document.ts';
import type { Problem } from '../operations/problem.ts';
import { readRun } from '../operations/runs/read-run.ts';
import { sourceOf } from '../operations/runs/run-source.ts';
import type { Site } from '../operations/site.ts';
import { runData } from './tools/run-tools.ts';
import { taskData } from './tools/task-tools.ts';

const SCHEME = 'orchestrate://';
const NEWEST_RUNS = 20;

export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
}

export const TEMPLATES: readonly (Omit<Resource, 'uri'> & { readonly uriTemplate: string })[] = [
  { uriTemplate: `${SCHEME}runs/{run_id}`, name: 'the state of a run', mimeType: 'application/json' },
  {
    uriTemplate: `${SCHEME}tasks/{task}`,
    name: 'a task of the active session',
    mimeType: 'application/json',
  },
];

export function listResources(site: Site): readonly Resource[] {
  const documents = listDocuments(site).map(({ name, title, mimeType }) => ({
    uri: `${SCHEME}${name}`,
    name: title,
    mimeType,
  }));
  const runs = sourceOf(site)
    .ids()
    .slice(0, NEWEST_RUNS)
    .map((runId) => ({ uri: `${SCHEME}runs/${runId}`, name: `run ${runId}`, mimeType: 'application/json' }));
  return [...documents, ...runs];
}

export interface Contents {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

export function readResource(site: Site, uri: string): Result<Contents, Problem> {
  const document = uri.startsWith(SCHEME) ? readDocument(site, uri.slice(SCHEME.length)) : undefined;
  if (document?.type === 'error') return document;
  if (document !== undefined)
    return ok({ uri, mimeType: document.value.mimeType, text: document.value.text });
  const [, kind, id] = /^orchestrate:\/\/(runs|tasks)\/([\w.-]+)$/.exec(uri) ?? [];
  if (kind === undefined || id === undefined) return error({ type: 'unknown-resource', uri });
  const read = kind === 'runs' ? readRunData(site, id) : taskData(site, { task: id });
  if (read.type === 'error') return read;
  return ok({ uri, mimeType: 'application/json', text: `${JSON.stringify(read.value, null, 2)}\n` });
}

function readRunData(site: Site, id: string): Result<JsonValue, Problem> {
  const read = readRun(site, id);
  return read.type === 'ok' ? ok(runData(read.value)) : read;
}
