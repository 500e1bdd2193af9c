/** What every sub-command of converse begins with: the workspace it speaks of, and how it says no. */
import fs from 'node:fs';
import { relative, resolve } from 'node:path';
import { type Conversation, type Listed, listConversations } from '../../converse/sessions.ts';
import { nearest } from '../../model/suggest.ts';
import { printableLine } from '../../report/text/printable.ts';
import { holderHelp, holderText } from '../../store/describe-held.ts';
import type { Held } from '../../store/lock.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';

export interface Site {
  readonly context: CliContext;
  /** Absolute and real. */
  readonly folder: string;
  /** As it was written. */
  readonly shown: string;
}

/** Undefined: it was refused, and said why. */
export function openSite(context: CliContext, dir: string): Site | undefined {
  const path = resolve(context.workspace, dir);
  try {
    const folder = fs.realpathSync(path);
    if (fs.statSync(folder).isDirectory()) return { context, folder, shown: dir };
  } catch {
    // Said below, like a file in its place.
  }
  return refuse(context, {
    error: `there is no folder \`${dir}\``,
    help: `\`orchestrate converse init ${dir}\` makes a workspace there`,
  });
}

export interface Refusal {
  readonly error: string;
  readonly help?: string;
  readonly exitCode?: number;
}

/** Says what is wrong; answers nothing, for the caller to give up with. */
export function refuse(context: CliContext, { error, help, exitCode }: Refusal): undefined {
  context.err(`error: ${error}\n${help === undefined ? '' : `help: ${help}\n`}`);
  context.exitCode = exitCode ?? EXIT.usage;
  return undefined;
}

/** Says what was in the folder of a conversation besides, and is still there. */
export function tellLeft(context: CliContext, { base }: Conversation, left: readonly string[]): void {
  if (left.length === 0) return;
  const folder = relative(context.workspace, base);
  const names = left.map((name) => `\`${printableLine(name)}\``).join(', ');
  context.err(`note: \`${folder}\` stays: ${names} in it was not written by orchestrate\n`);
}

export function heldRefusal(sessionId: string, held: Held): Refusal {
  const help = holderHelp(held);
  return {
    error: `conversation \`${sessionId}\` is being run by ${holderText(held)}`,
    ...(help === undefined ? {} : { help }),
    exitCode: EXIT.held,
  };
}

export function changingRefusal(site: Site, held: Held): Refusal {
  const help = holderHelp(held);
  return {
    error: `\`${site.shown}\` is being changed by ${holderText(held)}`,
    ...(help === undefined ? {} : { help }),
  };
}

/** The conversation that was named. Undefined: there is none, and that has been said. */
export function findOrTell(site: Site, sessionId: string): Listed | undefined {
  const all = listConversations(site.folder);
  const found = all.find((one) => one.sessionId === sessionId);
  if (found !== undefined) return found;
  const near = nearest(
    sessionId,
    all.map((one) => one.sessionId),
  );
  return refuse(site.context, {
    error: `there is no conversation \`${sessionId}\` in \`${site.shown}\``,
    help:
      near === undefined
        ? `\`orchestrate converse list ${site.shown}\` lists them`
        : `did you mean \`${near}\`?`,
  });
}

export function none(site: Site): Refusal {
  return {
    error: `there is no conversation in \`${site.shown}\` yet`,
    help: `\`orchestrate converse run ${site.shown}\` starts one`,
  };
}

/** The same surroundings, with another folder for runs. */
export function contextIn(context: CliContext, workspace: string): CliContext {
  return Object.create(context, { workspace: { value: workspace, enumerable: true } }) as CliContext;
}
