/** `setup` and `edit`: instructions come from a file, or the user and an agent write them together. */

import { notifySetup } from '../../host/loops/notify-setup.ts';
import { holdTalk, type TalkEnded } from '../../host/loops/talk.ts';
import { error, type Result } from '../../model/result.ts';
import { findLoop } from '../../operations/loops/remove-loop.ts';
import { prepareTalk, writeInstructions } from '../../operations/loops/write-instructions.ts';

import type { Problem } from '../../operations/problem.ts';
import { answerOf, type IterateCommand, shownPath, trustFlags } from './command.ts';

export interface SetupFlags {
  readonly agent?: string;
  /** A file, or `-` for standard input. */
  readonly from?: string;
}

export async function setup(command: IterateCommand, name: string, flags: SetupFlags): Promise<void> {
  const { from } = flags;
  if (from === undefined) await talk(command, { name, agent: flags.agent, edits: false });
  else await takeFrom(command, { name, agent: flags.agent, from });
}

export async function edit(command: IterateCommand, name: string, flags: SetupFlags): Promise<void> {
  await talk(command, { name, agent: flags.agent, edits: true });
}

async function takeFrom(
  command: IterateCommand,
  asked: { readonly name: string; readonly agent: string | undefined; readonly from: string },
): Promise<void> {
  const { context, site, settings } = command;
  const { name, from } = asked;
  // Check that the workspace exists before reading standard input.
  const found = await answerOf(command, () => findLoop(site, { settings, name }));
  if (found === undefined) return;
  const text = from === '-' ? Buffer.concat(await process.stdin.toArray()).toString('utf8') : undefined;
  const write = () => writeInstructions(site, { ...asked, settings, text });
  const written = await answerOf(command, write, trustFlags(command, name));
  if (written === undefined) return;
  const { keptAs, path } = written;
  if (keptAs !== undefined) context.err(`Earlier instructions kept: ${shownPath(site, keptAs)}\n`);
  await finish(command, name, path);
}

async function talk(
  command: IterateCommand,
  asked: { readonly name: string; readonly agent: string | undefined; readonly edits: boolean },
): Promise<void> {
  const { context, site, settings } = command;
  const { name } = asked;
  const hold = async (): Promise<Result<TalkEnded, Problem>> => {
    const prepared = prepareTalk(site, { ...asked, settings });
    if (prepared.type === 'error') return prepared;
    if (process.stdin.isTTY === true) return holdTalk(site, prepared.value);
    return error({ type: 'setup-needs-terminal', name });
  };
  const ended = await answerOf(command, hold, trustFlags(command, name));
  if (ended === undefined) return;
  if (ended.isChanged) await finish(command, name, ended.path);
  else context.err(`Instructions unchanged: ${shownPath(site, ended.path)}\n`);
}

async function finish(command: IterateCommand, name: string, path: string): Promise<void> {
  const { context, site, settings } = command;
  context.out(`✓ Instructions written: ${shownPath(site, path)}\n`);
  context.err(`Next: claude-iterate run ${name}\n`);
  await notifySetup(site, { settings, name }, (problem) => context.err(`warning: ${problem}\n`));
}
