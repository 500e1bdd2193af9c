import fs from 'node:fs';
import { text } from 'node:stream/consumers';
import { errnoWords } from '../../model/describe-failure.ts';
import { hasErrors } from '../../model/diagnostic.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../model/json.ts';
import { newRunId } from '../../operations/runs/run-ids.ts';
import { soundTasks } from '../../operations/sessions/tasks/validate-tasks.ts';
import { vouchFor, vouchForNew } from '../../operations/sessions/trust-tasks.ts';
import { renderDiagnostics } from '../../report/render-diagnostic.ts';
import { diagnosticOf, type Finding } from '../../session/check/finding.ts';
import { readTasks } from '../../session/document/read-tasks.ts';
import type { Task } from '../../session/document/task.ts';
import { PLAN_PROGRAM } from '../../session/execute/input.ts';
import { activeSession } from '../../session/markers.ts';
import type { PlanInput } from '../../session/plan/input.ts';
import { prepareTasks } from '../../session/plan/prepare-tasks.ts';
import { takeUp } from '../../session/plan/take-up.ts';
import { refused } from '../../session/problem.ts';
import { type Session, startSession } from '../../session/sessions.ts';
import { errnoOf } from '../../store/errno.ts';
import { jsonProblem } from '../../store/locate-json-error.ts';
import { plainData } from '../../store/plain-data.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import type { OutputOptions } from '../run-options.ts';
import { siteOf } from '../site.ts';
import { startProgram } from '../start-program.ts';
import { type AgentFlags, agentOptions, mayStartAgent, readRoles } from './agent-options.ts';
import { projectTree } from './project-tree.ts';
import { sessionOrTell, tell, tellKept, valueOrTell } from './tell.ts';

export interface PlanFlags extends OutputOptions, AgentFlags {
  readonly session?: string;
  readonly file?: string;
  readonly issue?: string;
  readonly from?: string;
}

export async function planSession(
  context: CliContext,
  words: string | undefined,
  flags: PlanFlags,
): Promise<void> {
  const sources = [words, flags.file, flags.issue, flags.from].filter((source) => source !== undefined);
  if (sources.length !== 1)
    return tell(
      context,
      refused('say what to plan, in one way', 'give a text, `--file`, `--issue` or `--from`'),
    );
  if (flags.from !== undefined) return importTasks(context, flags.from, flags);
  const request = words ?? (await readOrTell(context, flags.file ?? flags.issue ?? '-'));
  if (request === undefined) return;
  if (request.trim() === '') return tell(context, refused('there is nothing in it to plan'));
  const session = await sessionFor(context, request, flags);
  if (session !== undefined) context.exitCode = await planWithAgent(context, session, { request, flags });
}

/** The named or active one; where none is active, a new one of that topic. */
async function sessionFor(
  context: CliContext,
  request: string,
  flags: PlanFlags,
): Promise<Session | undefined> {
  const session = hasSession(context, flags)
    ? sessionOrTell(context, flags.session)
    : await startFor(context, request);
  if (session === undefined) return undefined;
  if (session.isArchived) return tell(context, refused(`session \`${session.id}\` is completed`));
  const sound = soundTasks(session);
  if (sound.type === 'ok') return session;
  refuse(context, sound.error);
  return undefined;
}

async function startFor(context: CliContext, request: string): Promise<Session | undefined> {
  const [line = 'Plan'] = request.trim().split('\n', 1);
  const topic = line.replace(/^#+\s*/, '').slice(0, 200);
  const started = await startSession(context.workspace, {
    topic,
    kind: 'workflow',
    complexity: 'simple',
    now: new Date(),
  });
  const session = valueOrTell(context, started);
  if (session !== undefined) context.err(`no session was active: started \`${session.id}\`\n`);
  return session;
}

/** Prints the ids of the new tasks, one a line. */
export async function planWithAgent(
  context: CliContext,
  session: Session,
  given: { readonly request: string; readonly flags: PlanFlags; readonly parent?: Task },
): Promise<number> {
  const { workspace } = context;
  const { request, flags, parent } = given;
  if (!(await mayStartAgent(context, flags))) return EXIT.usage;
  const role = readRoles(workspace, ['planning-agent'])['planning-agent'];
  const { planning_cost_usd: costBefore } = session.file;
  const input: PlanInput = {
    ...agentOptions(flags),
    session: session.id,
    request,
    tree: projectTree(workspace),
    existing: readTasks(session.paths).map(outline),
    ...(costBefore === undefined ? {} : { costBefore }),
    ...(role === undefined ? {} : { role }),
    ...(parent === undefined ? {} : { parent: { id: parent.id, source: parent.source } }),
  };
  const title = parent === undefined ? `plan of ${session.id}` : `division of ${parent.id}`;
  const planned = await vouchFor(siteOf(context), session, () =>
    startProgram(
      context,
      {
        ...{ runId: newRunId(context.workspace), kind: 'session', title, program: PLAN_PROGRAM, input },
        facts: { session: session.id },
      },
      flags,
    ),
  );
  const { exitCode, end } = planned.value;
  if (planned.problem !== undefined)
    context.err(`warning: you will be asked about this setting: ${planned.problem}\n`);
  const output = end?.output;
  const made = isJsonObject(output) && Array.isArray(output['tasks']) ? output['tasks'] : [];
  if (flags.json !== true) context.out(made.map((id) => `${String(id)}\n`).join(''));
  return exitCode;
}

/** What a check of new tasks has to know of one that is there. */
function outline(task: Task): JsonObject {
  const { id, title, status } = task;
  return {
    id,
    title,
    status,
    meta: {},
    context: { ...(task.parent === undefined ? {} : { parent: task.parent }), depends_on: task.dependsOn },
    flow_control: {},
  };
}

async function importTasks(context: CliContext, path: string, flags: PlanFlags): Promise<void> {
  const json = await readOrTell(context, path);
  const given = json === undefined ? undefined : parseOrTell(context, path, json);
  if (json === undefined || given === undefined) return;
  const there = hasSession(context, flags) ? await sessionFor(context, '', flags) : undefined;
  if (there === undefined && hasSession(context, flags)) return;
  const existing = there === undefined ? [] : readTasks(there.paths).map(outline);
  const { documents, findings } = prepareTasks({ given, file: { path, text: json }, existing });
  if (!tellFindings(context, findings)) return;
  const session = there ?? (await sessionFor(context, topicOf(given, path), flags));
  if (session === undefined) return;
  const problem = await vouchForNew(siteOf(context), session, documents);
  if (problem !== undefined) context.err(`warning: you will be asked about this setting: ${problem}\n`);
  const added = valueOrTell(
    context,
    await takeUp(session.paths, { tasks: documents, about: aboutOf(given) }),
  );
  if (added === undefined) return;
  tellKept(context, session, added.kept);
  const { ids } = added;
  context.out(flags.json === true ? `${JSON.stringify(ids)}\n` : ids.map((id) => `${id}\n`).join(''));
}

function hasSession(context: CliContext, flags: PlanFlags): boolean {
  return flags.session !== undefined || activeSession(context.workspace) !== undefined;
}

function topicOf(given: JsonValue, path: string): string {
  const overview = isJsonObject(given) ? given['overview'] : undefined;
  return typeof overview === 'string' ? overview : path.replace(/^.*\/|\.json$/g, '');
}

function aboutOf(given: JsonValue): JsonObject {
  const { overview, requirements } = isJsonObject(given) ? given : {};
  return {
    ...(typeof overview === 'string' ? { overview } : {}),
    ...(Array.isArray(requirements) ? { requirements } : {}),
  };
}

function tellFindings(context: CliContext, findings: readonly Finding[]): boolean {
  const diagnostics = findings.map(diagnosticOf);
  if (diagnostics.length > 0) context.err(renderDiagnostics(diagnostics, { color: context.color.stderr }));
  if (!hasErrors(diagnostics)) return true;
  context.exitCode = EXIT.usage;
  return false;
}

function parseOrTell(context: CliContext, path: string, json: string): JsonValue | undefined {
  try {
    return plainData(parseJson(json));
  } catch (cause) {
    const { offset, message } = jsonProblem(json, cause);
    tellFindings(context, [
      {
        rule: 'task/not-json',
        file: { path, text: json },
        at: [],
        message,
        offsets: { start: offset, end: offset + 1 },
      },
    ]);
    return undefined;
  }
}

/** `-` is standard input. */
async function readOrTell(context: CliContext, path: string): Promise<string | undefined> {
  try {
    return path === '-' ? await text(process.stdin) : fs.readFileSync(path, 'utf8');
  } catch (cause) {
    return tell(context, refused(`cannot read \`${path}\`: ${errnoWords(errnoOf(cause))}`));
  }
}
