import fs from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ConverseInput } from '../../converse/input.ts';
import { CONVERSATION_FOLDERS, sessionDocument } from '../../converse/layout.ts';
import { parseSession } from '../../converse/session.ts';
import { type Listed, listConversations, look, type ReadConversation } from '../../converse/sessions.ts';
import { lastInput } from '../../engine/last-input.ts';
import type { JournalEvent } from '../../model/event.ts';
import { parseRunId, type RunId } from '../../model/ids.ts';
import { newRunId } from '../../operations/runs/run-ids.ts';
import { mayResume } from '../../operations/trust/own-run.ts';
import { sweepTemporaries } from '../../store/atomic-write.ts';
import { updateDocument } from '../../store/document.ts';
import { readJournal } from '../../store/journal-file.ts';
import { runPaths } from '../../store/layout.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { OutputOptions, TrustOption } from '../run-options.ts';
import { siteOf } from '../site.ts';
import { tidyEndedRun } from '../tidy-ended-run.ts';
import { withTrust } from '../trust/with-trust.ts';
import { lockConversation } from './claim.ts';
import { runFurther, runNew } from './execute.ts';
import { contextIn, findOrTell, none, openSite, refuse, type Site } from './site.ts';
import { configOrTell, inputFor, mayConverse } from './start.ts';

export interface ResumeFlags extends OutputOptions, TrustOption {
  readonly session?: string;
  readonly maxIterations?: number;
}

export async function resumeConversation(
  context: CliContext,
  dir: string,
  flags: ResumeFlags,
): Promise<number> {
  const site = openSite(context, dir);
  const found = site === undefined ? undefined : chooseOrTell(site, flags.session);
  if (site === undefined || found === undefined) return context.exitCode;
  const locked = lockConversation(found);
  if (locked.type === 'error') {
    refuse(context, locked.error);
    return context.exitCode;
  }
  try {
    sweepAfterKill(found);
    // As it is now that nobody else changes it.
    const now = look(found);
    if (now.type === 'unreadable') return unreadable(context, now);
    if (now.session.status === 'completed' && !(await isCutOff(site, now))) {
      context.err(`conversation \`${now.sessionId}\` is completed: nothing to do\n`);
      return EXIT.done;
    }
    return await goOn(site, now, flags);
  } finally {
    locked.value.release();
  }
}

/** A process that was killed may have left files that were to take the place of others. */
function sweepAfterKill({ base }: Listed): void {
  for (const name of CONVERSATION_FOLDERS) {
    const folder = join(base, name);
    if (fs.existsSync(folder)) sweepTemporaries(folder);
  }
}

/** Without a name: the only one that is not completed. */
function chooseOrTell(site: Site, sessionId: string | undefined): Listed | undefined {
  if (sessionId !== undefined) return findOrTell(site, sessionId);
  const all = listConversations(site.folder);
  if (all.length === 0) return refuse(site.context, none(site));
  const open = all.filter((one) => one.type === 'unreadable' || one.status !== 'completed');
  const [only, ...others] = open.length === 0 ? all : open;
  if (only !== undefined && (others.length === 0 || open.length === 0)) return only;
  return refuse(site.context, {
    error: `${open.length} conversations can be gone on with`,
    help: `say which one: ${open.map((one) => `\`--session ${one.sessionId}\``).join(', ')}`,
  });
}

function unreadable(context: CliContext, { problem }: Extract<Listed, { type: 'unreadable' }>): number {
  refuse(context, {
    error: problem.type === 'held' ? 'the document of the conversation is locked' : problem.message,
    exitCode: EXIT.failed,
  });
  return context.exitCode;
}

/** Its document says that it is completed, and its run was killed before it could say so too. */
async function isCutOff(site: Site, { session: { metadata } }: ReadConversation): Promise<boolean> {
  const runId = parseRunId(String(metadata['run_id'] ?? ''));
  const context = contextIn(site.context, resolve(site.folder, String(metadata['run_folder'] ?? '.')));
  const events = runId === undefined ? undefined : eventsOrTell(context, runId);
  if (runId === undefined || events === undefined || events.length === 0) return false;
  if (events.at(-1)?.type !== 'run-ended') return true;
  await tidyEndedRun(context, runId);
  return false;
}

async function goOn(site: Site, found: ReadConversation, flags: ResumeFlags): Promise<number> {
  const { metadata } = found.session;
  const runId = parseRunId(String(metadata['run_id'] ?? ''));
  const context = contextIn(site.context, resolve(site.folder, String(metadata['run_folder'] ?? '.')));
  const events = runId === undefined ? [] : eventsOrTell(context, runId);
  if (events === undefined) return EXIT.failed;
  const pinned = pinnedInput(events);
  if (runId === undefined || pinned === undefined) return beginAgain(site, found, flags);
  const may = await withTrust(context, flags, () => mayResume(siteOf(context), { runId, events }));
  if (may === 'not-trusted') return EXIT.usage;
  const { sessionId, folder, base } = found;
  const input: ConverseInput = {
    ...pinned,
    ...{ sessionId, folder, base },
    // All of it may have been moved since.
    root: resolve(folder, relative(pinned.folder, pinned.root)),
    maxIterations: flags.maxIterations ?? pinned.maxIterations,
  };
  return runFurther(context, {
    conversation: found,
    runId,
    input,
    output: flags,
    isChanged: !isDeepStrictEqual(input, pinned),
  });
}

/** Undefined where the journal is damaged; that has been said. */
function eventsOrTell(context: CliContext, runId: RunId): readonly JournalEvent[] | undefined {
  const { journal } = runPaths(context.workspace, runId);
  if (!fs.existsSync(journal)) return [];
  const read = readJournal(journal);
  if (read.type === 'ok') return read.value.events;
  return refuse(context, {
    error: `the journal of run \`${runId}\` cannot be read: ${read.error.message}`,
    help: `\`orchestrate doctor ${runId}\` says what can be saved`,
  });
}

/** Of plain objects, to be compared with. */
function pinnedInput(events: readonly JournalEvent[]): ConverseInput | undefined {
  const input = lastInput(events);
  return input === undefined ? undefined : (JSON.parse(JSON.stringify(input)) as ConverseInput);
}

/** Its run never began, or is gone. Nothing was done yet, so nothing is done twice. */
async function beginAgain(site: Site, found: ReadConversation, flags: ResumeFlags): Promise<number> {
  const { context } = site;
  const { session, sessionId } = found;
  if (session.current_iteration > 0) {
    refuse(context, {
      error: `the run of conversation \`${sessionId}\` is not there any more, so it cannot go on`,
      help: `\`orchestrate converse history ${site.shown} --session ${sessionId}\` shows what there is`,
      exitCode: EXIT.failed,
    });
    return context.exitCode;
  }
  const { metadata } = session;
  const agent = metadata['dry_run'] === true ? undefined : metadata['agent'];
  const config = configOrTell(site, typeof agent === 'string' ? { agent } : {});
  if (config === undefined) return context.exitCode;
  const dryRun = metadata['dry_run'] === true;
  if (!(await mayConverse(site, config, { ...flags, dryRun }))) return EXIT.usage;
  const runId = newRunId(context.workspace);
  const maxIterations = flags.maxIterations ?? metadata['max_iterations'];
  const input = inputFor(found, {
    config,
    task: String(metadata['task'] ?? config.task ?? ''),
    flags: {
      ...(typeof maxIterations === 'number' ? { maxIterations } : {}),
      ...(metadata['dry_run'] === true ? { dryRun: true } : {}),
    },
  });
  await updateDocument(join(found.base, sessionDocument(sessionId)), parseSession, (document) => ({
    ...document,
    metadata: { ...document.metadata, run_id: runId },
  }));
  const home = contextIn(context, resolve(site.folder, String(metadata['run_folder'] ?? '.')));
  return runNew(home, { conversation: found, runId, input, output: flags });
}
