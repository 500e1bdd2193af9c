/** The documents of a workspace, for agents to read. What is there is listed; the rest can be asked for by its form. */
import fs from 'node:fs';
import { errnoWords } from '../../model/describe-failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { listRunIds } from '../../operations/runs/run-ids.ts';
import { phasesPaths } from '../../phases/layout.ts';
import { openSession } from '../../session/sessions.ts';
import { errnoOf } from '../../store/errno.ts';
import { readPlainText } from '../../store/plain-file.ts';
import type { CliContext } from '../context.ts';
import { callCommand } from './call-command.ts';

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

export function listResources(context: CliContext): readonly Resource[] {
  const files = documents(context)
    .filter(({ path }) => fs.existsSync(path))
    .map(({ path: _path, ...resource }) => resource);
  const runs = listRunIds(context.workspace)
    .slice(0, NEWEST_RUNS)
    .map((runId) => ({ uri: `${SCHEME}runs/${runId}`, name: `run ${runId}`, mimeType: 'application/json' }));
  return [...files, ...runs];
}

export interface Contents {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

export async function readResource(context: CliContext, uri: string): Promise<Result<Contents, string>> {
  const document = documents(context).find((each) => each.uri === uri);
  if (document !== undefined) {
    if (!fs.existsSync(document.path)) return error(`there is no \`${uri}\` in this workspace yet`);
    try {
      return ok({ uri, mimeType: document.mimeType, text: readPlainText(document.path) });
    } catch (cause) {
      return error(`cannot read \`${uri}\`: ${errnoWords(errnoOf(cause))}`);
    }
  }
  const [, kind, id] = /^orchestrate:\/\/(runs|tasks)\/([\w.-]+)$/.exec(uri) ?? [];
  if (kind === undefined || id === undefined) return error(`there is no resource \`${uri}\``);
  const shown = await callCommand(
    context,
    kind === 'runs'
      ? { name: 'show', options: { json: true }, words: [id] }
      : { name: 'task', sub: 'show', words: [id] },
  );
  return shown.type === 'ok' ? ok({ uri, mimeType: 'application/json', text: shown.value.out }) : shown;
}

function documents({ workspace }: CliContext): readonly (Resource & { readonly path: string })[] {
  const phases = phasesPaths(workspace);
  const session = openSession(workspace, undefined);
  const json = 'application/json';
  const markdown = 'text/markdown';
  return [
    { uri: `${SCHEME}phases/workflow.json`, name: 'phases', mimeType: json, path: phases.document },
    { uri: `${SCHEME}phases/view.md`, name: 'phases, for people', mimeType: markdown, path: phases.view },
    {
      uri: `${SCHEME}phases/history.jsonl`,
      name: 'changes of phases',
      mimeType: 'application/jsonl',
      path: phases.history,
    },
    ...(session.type === 'error'
      ? []
      : [
          {
            uri: `${SCHEME}session/session.json`,
            name: `session ${session.value.id}`,
            mimeType: json,
            path: session.value.paths.session,
          },
          {
            uri: `${SCHEME}session/plan.md`,
            name: 'plan of the session',
            mimeType: markdown,
            path: session.value.paths.plan,
          },
          {
            uri: `${SCHEME}session/todo.md`,
            name: 'todo list of the session',
            mimeType: markdown,
            path: session.value.paths.todo,
          },
        ]),
  ];
}
