import { countText, momentText } from '../../model/amounts.ts';
import { defined } from '../../model/defined.ts';
import { type ReadLoop, readLoop } from '../../operations/loops/read-loop.ts';
import { againText } from '../../operations/loops/run/again.ts';
import type { LeftState } from '../../operations/loops/site/left-state.ts';
import { limitText } from '../../report/text/limit.ts';
import { printableLine } from '../../report/text/printable.ts';
import { answerCommands } from '../loop-view/answer-commands.ts';
import { answerOf, type IterateCommand } from './command.ts';
import { statusWords } from './status-words.ts';

export async function show(
  command: IterateCommand,
  name: string,
  flags: { readonly json?: boolean },
): Promise<void> {
  const { context, site, settings } = command;
  const loop = await answerOf(command, () => readLoop(site, { settings, name }));
  if (loop === undefined) return;
  const { folder, metadata, pid, limit, left } = loop;
  if (flags.json === true) {
    const statusFile = loop.status?.type === 'ok' ? loop.status.value : null;
    context.out(
      `${JSON.stringify({ ...metadata, path: folder, statusFile, runningPid: pid ?? null, ...defined({ usageLimit: limit, left }) }, null, 2)}\n`,
    );
    return;
  }
  const rows: (readonly [string, string | undefined])[] = [
    ['Workspace', name],
    ['Path', folder],
    ['Status', statusWords(metadata, left)],
    ['Running', pid === undefined ? undefined : `process ${pid}`],
    ['Waiting', limit === undefined ? undefined : limitText(limit, Date.now())],
    ...leftRows(left, againText({ name, workspacesDir: settings.workspacesDir })),
    ['Mode', metadata.mode],
    ['Created', momentText(metadata.created)],
    ['Last started', metadata.lastRun === undefined ? 'never' : momentText(metadata.lastRun)],
    [
      'Iterations',
      `${metadata.totalIterations} (setup ${metadata.setupIterations}, execution ${metadata.executionIterations})`,
    ],
    [
      'Last iteration',
      metadata.run === undefined
        ? undefined
        : `iteration ${metadata.run.iteration}/${metadata.run.maxIterations}, run ${metadata.run.id}`,
    ],
    ['Max iterations', String(metadata.maxIterations ?? '')],
    ['Delay', metadata.delay === undefined ? undefined : `${metadata.delay} s`],
    [
      'Stagnation',
      metadata.mode !== 'iterative' || metadata.stagnationThreshold === undefined
        ? undefined
        : stagnationText(metadata.stagnationThreshold),
    ],
    ['Instructions', loop.hasInstructions ? 'yes' : `no: claude-iterate setup ${name}`],
    ...progressRows(loop),
    ['Verification', metadata.verification?.lastVerificationStatus],
    ['Notify', metadata.notifyUrl],
  ];
  context.out(
    rows
      .filter((row): row is readonly [string, string] => row[1] !== undefined && row[1] !== '')
      .map(([title, value]) => `${`${title}:`.padEnd(16)}${printableLine(value)}\n`)
      .join(''),
  );
}

/** What a person can do now. */
function leftRows(left: LeftState | undefined, again: string): readonly (readonly [string, string])[] {
  if (left === undefined) return [];
  if (left.type !== 'waiting') return [['Continue', again]];
  return left.questions.flatMap((question) => [
    ['Question', question.message] as const,
    ...answerCommands(left.runId, question).map((command) => ['Answer', command] as const),
  ]);
}

function stagnationText(threshold: number): string {
  if (threshold === 0) return 'never stops';
  return `stops after ${countText(threshold, 'iteration')} without work`;
}

/** The claim and the count contradict each other. */
function unfinishedText(remaining: number | undefined): string {
  return remaining === undefined || remaining === 0
    ? ''
    : ` (⚠️ but ${countText(remaining, 'item')} remaining)`;
}

function progressRows({
  status,
  statusProblem: problem,
  remaining,
}: ReadLoop): readonly (readonly [string, string | undefined])[] {
  if (status?.type === 'ok') {
    const { progress, summary, complete, blockers, phase } = status.value;
    return [
      ['Complete', complete ? `yes${unfinishedText(remaining)}` : 'no'],
      ['Phase', phase],
      [
        'Progress',
        progress === undefined
          ? undefined
          : `${progress.completed}/${progress.total} items (${progress.completed > progress.total ? '⚠️ more done than there are' : `${remaining} remaining`})`,
      ],
      ['Summary', summary],
      ['Status file', problem === undefined ? undefined : `partly unusable: ${problem}`],
      ['Blockers', blockers?.map((each) => (typeof each === 'string' ? each : each.question)).join('; ')],
    ];
  }
  return [
    ['Status file', status === undefined ? 'none yet' : `cannot be used: ${status.error}`],
    ['Remaining', remaining === undefined ? undefined : `${remaining} (by TODO.md)`],
  ];
}
