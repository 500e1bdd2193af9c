/** Shared by `archive` and `clean`. */
import { relative } from 'node:path';
import { defined } from '../../model/defined.ts';
import type { OldConversations, ReadConversation } from '../../operations/conversations/choose-old.ts';
import type { Problem } from '../../operations/problem.ts';
import { printableLine } from '../../report/text/printable.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';

export interface OldFlags {
  readonly session?: string;
  /** Milliseconds. */
  readonly olderThan?: number;
}

export function askedFor(dir: string, { session, olderThan }: OldFlags): OldConversations {
  return {
    dir,
    ...defined({ session, olderThanMs: olderThan }),
  };
}

/** Reports files of others in the folder of a conversation, which were kept. */
export function reportLeft(
  context: CliContext,
  { base }: ReadConversation,
  { left }: { readonly left: readonly string[] },
): void {
  if (left.length === 0) return;
  const folder = relative(context.workspace, base);
  const names = left.map((name) => `\`${printableLine(name)}\``).join(', ');
  context.err(`note: \`${folder}\` was kept: it contains ${names}, not written by orchestrate\n`);
}

/** Returns the exit code. */
export function reportUnreadable(context: CliContext, unreadable: readonly Problem[]): number {
  return unreadable.reduce<number>((_before, problem) => refuse(context, problem), EXIT.done);
}
