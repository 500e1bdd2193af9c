import { relative } from 'node:path';
import type { Command } from 'commander';
import { isAnswered } from '../../engine/read-answer.ts';
import type { RunId, StepKey } from '../../model/ids.ts';
import type { RunState } from '../../model/run-state.ts';
import { nearest } from '../../model/suggest.ts';
import { placeFile, replaceFile } from '../../store/atomic-write.ts';
import { keepAside } from '../../store/keep-aside.ts';
import { answerFile, runPaths } from '../../store/layout.ts';
import { isHeld, readLock } from '../../store/lock-file.ts';
import { makeFolder } from '../../store/make-folder.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { findRunOrTell } from '../find-run.ts';
import { readRunOrTell } from '../read-run.ts';

interface ApproveFlags {
  readonly choose: string;
  readonly comment?: string;
  readonly by?: string;
}

export function define(command: Command, context: CliContext): void {
  command
    .argument('<run>', 'its id, the beginning of it, or `last`')
    .argument('<step>', 'the step that asks')
    .requiredOption('--choose <choice>', 'one of the choices it gives')
    .option('--comment <text>', 'kept with the answer')
    .option('--by <name>', 'who answers')
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate approve last Release --choose yes --comment "looks good"',
    )
    .action((text: string, step: string, flags: ApproveFlags) => {
      context.exitCode = approve(context, { text, step, flags });
    });
}

function approve(
  context: CliContext,
  given: { readonly text: string; readonly step: string; readonly flags: ApproveFlags },
): number {
  const runId = findRunOrTell(context, given.text);
  if (runId === undefined) return EXIT.usage;
  const run = readRunOrTell(context, runId);
  if (run === undefined) return EXIT.failed;
  if (run.state.status === 'cancelled' || run.state.status === 'completed') {
    context.err(`error: run \`${runId}\` is ${run.state.status}: it waits for no answer\n`);
    return EXIT.usage;
  }
  const key = questionOrTell(context, { runId, state: run.state, step: given.step });
  if (key === undefined) return EXIT.usage;
  const question = run.state.waiting_for?.[key];
  const choices = question?.choices ?? [];
  if (!choices.includes(given.flags.choose)) {
    context.err(
      `error: \`${key}\` has no choice \`${given.flags.choose}\`\nhelp: choose one of ${choices.join(', ')}\n`,
    );
    return EXIT.usage;
  }
  const paths = runPaths(context.workspace, runId);
  const file = answerFile(paths, key);
  const { choose: choice, comment, by } = given.flags;
  makeFolder(paths.answers, 0o700);
  const text = `${JSON.stringify({ key, choice, comment, by, at: new Date().toISOString() }, null, 2)}\n`;
  // The first answer counts: of two people at once, one is told so.
  if (!placeFile(file, text)) {
    if (question === undefined || isAnswered(paths, key, question)) return alreadyAnswered(context, key);
    // What stands there is damaged, or no answer to this question.
    const kept = relative(context.workspace, keepAside(file));
    context.err(`note: what stood in its place is no answer to this question; it is kept as \`${kept}\`\n`);
    replaceFile(file, text);
  }
  const lock = readLock(paths.lock);
  const goesOn =
    lock !== undefined && isHeld(lock) ? 'the run goes on' : `\`orchestrate resume ${runId}\` goes on`;
  context.err(`\`${key}\`: ${choice}; ${goesOn}\n`);
  return EXIT.done;
}

function alreadyAnswered(context: CliContext, key: string): number {
  context.err(`error: \`${key}\` has been answered already\n`);
  return EXIT.usage;
}

/** By its whole key, or by its last name where only one question has it. */
function questionOrTell(
  context: CliContext,
  asked: { readonly runId: RunId; readonly state: RunState; readonly step: string },
): StepKey | undefined {
  const keys = Object.keys(asked.state.waiting_for ?? {});
  const found = keys.filter((key) => key === asked.step);
  const named = found.length > 0 ? found : keys.filter((key) => key.split('/').at(-1) === asked.step);
  if (named.length === 1) return named[0] as StepKey;
  if (keys.length === 0) {
    context.err(`error: run \`${asked.runId}\` waits for no answer\n`);
    return undefined;
  }
  const near = nearest(asked.step, keys);
  const hint = near === undefined ? `it waits for ${keys.join(', ')}` : `did you mean \`${near}\`?`;
  context.err(
    named.length > 1
      ? `error: several steps are called \`${asked.step}\`\nhelp: name one of ${named.join(', ')}\n`
      : `error: no step \`${asked.step}\` of run \`${asked.runId}\` waits for an answer\nhelp: ${hint}\n`,
  );
  return undefined;
}
