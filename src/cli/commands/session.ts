import { type Command, Option } from 'commander';
import { withTypedCommands } from '../../model/typed-command.ts';
import {
  COMPLEXITIES,
  type Complexity,
  SESSION_KINDS,
  type SessionKind,
} from '../../operations/sessions/vocabulary.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import { collect } from '../run-options.ts';
import { sayChanged } from '../session/say-changed.ts';
import { siteOf } from '../site.ts';
import { subcommandsOf } from '../subcommands.ts';

interface JsonFlag {
  readonly json?: boolean;
}

interface StartFlags extends JsonFlag {
  readonly kind: SessionKind;
  readonly complexity: Complexity;
}

interface CompleteFlags {
  readonly force?: boolean;
  readonly lesson?: readonly string[];
}

export function define(command: Command, context: CliContext): void {
  const add = subcommandsOf(command);

  command.addHelpText(
    'after',
    '\nExample:\n  orchestrate session start "User auth system"\n  orchestrate session status',
  );
  add('start <topic>', 'start a session and make it active', 'orchestrate session start "User auth system"')
    .addOption(new Option('--kind <kind>', 'kind of session').choices(SESSION_KINDS).default('workflow'))
    .addOption(
      new Option('--complexity <complexity>', 'minimum complexity').choices(COMPLEXITIES).default('simple'),
    )
    .option('--json', 'print the session as JSON')
    .action(async (topic: string, flags: StartFlags) => {
      context.exitCode = await start(context, topic, flags);
    });
  add('list', 'list sessions, including archived ones', 'orchestrate session list')
    .option('--json', 'print as JSON')
    .action(async (flags: JsonFlag) => {
      context.exitCode = await list(context, flags);
    });
  add('switch <id>', 'make another session active', 'orchestrate session switch WFS-user-auth-system').action(
    async (id: string) => {
      context.exitCode = await resume(context, id);
    },
  );
  add('pause', 'pause the active session', 'orchestrate session pause').action(async () => {
    context.exitCode = await pause(context);
  });
  add('resume [id]', 'resume a paused session', 'orchestrate session resume').action(
    async (id: string | undefined) => {
      context.exitCode = await resume(context, id);
    },
  );
  add('complete [id]', 'complete a session and move it to the archives', 'orchestrate session complete')
    .option('--force', 'complete it even if tasks are open')
    .option('--lesson <text>', 'lesson learned, kept in the manifest (repeatable)', collect)
    .action(async (id: string | undefined, flags: CompleteFlags) => {
      context.exitCode = await complete(context, id, flags);
    });
  add('reopen <id>', 'reopen a completed session', 'orchestrate session reopen WFS-user-auth-system').action(
    async (id: string) => {
      const { reopenSession } = await import('../../operations/sessions/change-session.ts');
      const reopened = await reopenSession(siteOf(context), id);
      if (reopened.type === 'error') context.exitCode = refuse(context, reopened.error);
      else context.err(`\`${reopened.value.id}\` is active\n`);
    },
  );
  add('status [id]', 'show the progress of a session', 'orchestrate session status --json')
    .option('--json', 'print as JSON')
    .action(async (id: string | undefined, flags: JsonFlag) => {
      context.exitCode = await status(context, id, flags);
    });
}

async function start(context: CliContext, topic: string, flags: StartFlags): Promise<number> {
  const { startSession } = await import('../../operations/sessions/change-session.ts');
  const started = await startSession(siteOf(context), { ...flags, topic });
  if (started.type === 'error') return refuse(context, started.error);
  const { id, file } = started.value;
  context.out(flags.json === true ? `${JSON.stringify(file, null, 2)}\n` : `${id}\n`);
  return EXIT.done;
}

async function pause(context: CliContext): Promise<number> {
  const { pauseSession } = await import('../../operations/sessions/change-session.ts');
  const paused = await pauseSession(siteOf(context));
  if (paused.type === 'error') return refuse(context, paused.error);
  const { id, run } = paused.value;
  context.err(`\`${id}\` is paused; no session is active\n`);
  if (run !== undefined) {
    const after = run.atWork.length === 0 ? 'the tasks at work' : run.atWork.join(', ');
    context.err(`run ${run.id} stops after ${after}\n`);
  }
  return EXIT.done;
}

/** Default: the session that was last worked on. */
async function resume(context: CliContext, id: string | undefined): Promise<number> {
  const operations = await import('../../operations/sessions/change-session.ts');
  const site = siteOf(context);
  const active =
    id === undefined ? await operations.resumeLastSession(site) : await operations.switchSession(site, id);
  if (active.type === 'error') return refuse(context, active.error);
  context.err(`\`${active.value.id}\` is active\n`);
  return EXIT.done;
}

async function complete(
  context: CliContext,
  session: string | undefined,
  { force, lesson }: CompleteFlags,
): Promise<number> {
  const { completeSession } = await import('../../operations/sessions/change-session.ts');
  const done = await completeSession(siteOf(context), { session, force, lessons: lesson });
  if (done.type === 'error') return refuse(context, done.error);
  const { id, folder } = done.value;
  sayChanged(context, done.value);
  context.err(`\`${id}\` is completed\n`);
  context.out(`${folder}\n`);
  return EXIT.done;
}

async function list(context: CliContext, flags: JsonFlag): Promise<number> {
  const { listSessions } = await import('../../operations/sessions/list-sessions.ts');
  const listed = listSessions(siteOf(context));
  if (listed.type === 'error') return refuse(context, listed.error);
  const { sessions, problems } = listed.value;
  for (const problem of problems) context.err(`warning: ${problem}\n`);
  if (flags.json === true) {
    const rows = sessions.map(({ id, ...rest }) => ({ session_id: id, ...rest }));
    context.out(`${JSON.stringify(rows, null, 2)}\n`);
    return EXIT.done;
  }
  if (sessions.length === 0) {
    context.err(
      withTypedCommands(
        'no sessions in this folder\nhelp: `orchestrate session start "<topic>"` starts one\n',
      ),
    );
    return EXIT.done;
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
      sessions.map(({ id, state, done, total, project }) => [
        id,
        state,
        `${done}/${total}`,
        printableLine(project),
      ]),
    ),
  );
  return EXIT.done;
}

async function status(context: CliContext, session: string | undefined, flags: JsonFlag): Promise<number> {
  const { readSession, sessionSummary } = await import('../../operations/sessions/read-session.ts');
  const read = readSession(siteOf(context), { session });
  if (read.type === 'error') return refuse(context, read.error);
  if (flags.json === true) {
    context.out(`${JSON.stringify(sessionSummary(read.value), null, 2)}\n`);
    return EXIT.done;
  }
  const { renderStatus } = await import('../session/render-status.ts');
  context.out(renderStatus(read.value));
  return EXIT.done;
}
