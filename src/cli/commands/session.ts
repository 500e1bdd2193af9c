import { type Command, Option } from 'commander';
import { completeSession } from '../../session/archive.ts';
import {
  COMPLEXITIES,
  type Complexity,
  SESSION_KINDS,
  type SessionKind,
} from '../../session/document/session-file.ts';
import { runningProcess } from '../../session/live-run.ts';
import {
  listSessionIds,
  loadSession,
  pauseSession,
  startSession,
  switchSession,
} from '../../session/sessions.ts';
import { countTasks } from '../../session/task-graph.ts';
import { loadOutline } from '../../session/tasks.ts';
import { holderText } from '../../store/describe-held.ts';
import type { CliContext } from '../context.ts';
import { collect } from '../run-options.ts';
import { sessionOrTell, tellKept, valueOrTell } from '../session/tell.ts';
import { subcommandsOf } from '../subcommands.ts';

interface JsonFlag {
  readonly json?: boolean;
}

export function define(command: Command, context: CliContext): void {
  const add = subcommandsOf(command);

  command.addHelpText(
    'after',
    '\nExample:\n  orchestrate session start "User auth system"\n  orchestrate session status',
  );
  add(
    'start <topic>',
    'start a session and make it the active one',
    'orchestrate session start "User auth system"',
  )
    .addOption(new Option('--kind <kind>', 'what it is for').choices(SESSION_KINDS).default('workflow'))
    .addOption(
      new Option('--complexity <complexity>', 'at least this').choices(COMPLEXITIES).default('simple'),
    )
    .option('--json', 'print the session as JSON')
    .action(
      (topic: string, flags: JsonFlag & { readonly kind: SessionKind; readonly complexity: Complexity }) =>
        start(context, topic, flags),
    );
  add('list', 'list the sessions, those in the archives too', 'orchestrate session list')
    .option('--json', 'print them as JSON')
    .action((flags: JsonFlag) => list(context, flags));
  add(
    'switch <id>',
    'make another session the active one',
    'orchestrate session switch WFS-user-auth-system',
  ).action((id: string) => goTo(context, id));
  add('pause', 'let the active session rest; none is active then', 'orchestrate session pause').action(
    async () => {
      const paused = valueOrTell(context, await pauseSession(context.workspace));
      if (paused !== undefined) context.err(`\`${paused.id}\` rests; no session is active\n`);
    },
  );
  add('resume [id]', 'go on with a session that rests', 'orchestrate session resume').action(
    (id: string | undefined) => resume(context, id),
  );
  add('complete [id]', 'move a session that is done to the archives', 'orchestrate session complete')
    .option('--force', 'also with open tasks')
    .option('--lesson <text>', 'kept in the manifest; repeatable', collect)
    .action(
      (id: string | undefined, flags: { readonly force?: boolean; readonly lesson?: readonly string[] }) =>
        complete(context, id, flags),
    );
  add('status [id]', 'show how far a session is', 'orchestrate session status --json')
    .option('--json', 'print it as JSON')
    .action((id: string | undefined, flags: JsonFlag) => status(context, id, flags));
}

async function start(
  context: CliContext,
  topic: string,
  flags: JsonFlag & { readonly kind: SessionKind; readonly complexity: Complexity },
): Promise<void> {
  const { workspace } = context;
  const { kind, complexity } = flags;
  const started = valueOrTell(
    context,
    await startSession(workspace, { topic, kind, complexity, now: new Date() }),
  );
  if (started === undefined) return;
  context.out(flags.json === true ? `${JSON.stringify(started.file, null, 2)}\n` : `${started.id}\n`);
}

async function goTo(context: CliContext, id: string): Promise<void> {
  const active = valueOrTell(context, await switchSession(context.workspace, id));
  if (active !== undefined) context.err(`\`${active.id}\` is active\n`);
}

/** Without a name: the one that was last worked on. */
async function resume(context: CliContext, id: string | undefined): Promise<void> {
  if (id !== undefined) return goTo(context, id);
  const paused = listSessionIds(context.workspace)
    .map((each) => loadSession(context.workspace, each))
    .flatMap((loaded) => (loaded.type === 'ok' && !loaded.value.isArchived ? [loaded.value] : []))
    .sort((a, b) => (a.file.updated_at < b.file.updated_at ? 1 : -1));
  const [last] = paused;
  if (last !== undefined) return goTo(context, last.id);
  sessionOrTell(context, undefined);
}

async function complete(
  context: CliContext,
  id: string | undefined,
  flags: { readonly force?: boolean; readonly lesson?: readonly string[] },
): Promise<void> {
  const { workspace } = context;
  const done = valueOrTell(
    context,
    await completeSession(workspace, id, {
      force: flags.force === true,
      lessons: flags.lesson ?? [],
      isInUse: (session) => {
        const running = runningProcess(workspace, session.file);
        return running === undefined
          ? undefined
          : `session \`${session.id}\` is being executed by ${holderText(running.held)}`;
      },
    }),
  );
  if (done === undefined) return;
  tellKept(context, done.session, done.kept);
  context.err(`\`${done.session.id}\` is completed\n`);
  context.out(`${done.session.paths.relative}\n`);
}

async function list(context: CliContext, flags: JsonFlag): Promise<void> {
  const { workspace } = context;
  const rows = listSessionIds(workspace).flatMap((id) => {
    const loaded = loadSession(workspace, id);
    if (loaded.type === 'error') {
      context.err(`warning: ${loaded.error.message}\n`);
      return [];
    }
    const { file, isArchived } = loaded.value;
    const counts = countTasks(loadOutline(loaded.value));
    const state = isArchived ? 'completed' : file.status;
    return [
      {
        session_id: id,
        state,
        done: counts.completed,
        total: counts.total,
        project: file.project,
        kind: file.kind,
        type: file.type,
      },
    ];
  });
  if (flags.json === true) return context.out(`${JSON.stringify(rows, null, 2)}\n`);
  if (rows.length === 0) {
    return context.err('there is no session here\nhelp: `orchestrate session start "<topic>"` starts one\n');
  }
  const { renderTable } = await import('../../report/text/table.ts');
  const { printableLine } = await import('../../report/text/printable.ts');
  const columns = [
    { title: 'SESSION' },
    { title: 'STATE' },
    { title: 'TASKS', align: 'right' as const },
    { title: 'TOPIC' },
  ];
  context.out(
    renderTable(
      columns,
      rows.map((row) => [row.session_id, row.state, `${row.done}/${row.total}`, printableLine(row.project)]),
    ),
  );
}

async function status(context: CliContext, id: string | undefined, flags: JsonFlag): Promise<void> {
  const session = sessionOrTell(context, id);
  if (session === undefined) return;
  const graph = loadOutline(session);
  const running = runningProcess(context.workspace, session.file);
  const view = {
    session,
    graph,
    ...(running === undefined ? {} : { running: { runId: running.runId, pid: running.held.owner.pid } }),
  };
  const { renderStatus, statusJson } = await import('../session/render-status.ts');
  context.out(flags.json === true ? `${JSON.stringify(statusJson(view), null, 2)}\n` : renderStatus(view));
}
