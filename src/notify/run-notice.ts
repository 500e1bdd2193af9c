/** What every kind of run can report, and its words. */
import { defined } from '../model/defined.ts';
import type { NotifyEventName } from '../model/notify.ts';
import { typedCommand } from '../model/typed-command.ts';
import { unreachable } from '../model/unreachable.ts';
import { visible } from '../model/visible.ts';
import type { Message } from './notice.ts';

export type RunNotice =
  | {
      readonly type: 'waiting';
      readonly step: string;
      readonly question: string;
      readonly choices: readonly string[];
      /** When it expires, in words. */
      readonly until?: string;
    }
  | { readonly type: 'failed' | 'budget'; readonly why: string; readonly cost?: string }
  | { readonly type: 'completed'; readonly took: string; readonly cost?: string }
  /** `waits`: until when, in words. */
  | { readonly type: 'limit-wait'; readonly step: string; readonly waits: string }
  | { readonly type: 'resumed'; readonly isAfterDeath: boolean };

export interface OfRun {
  readonly runId: string;
  readonly kind: string;
  readonly title: string;
  /** The name of the workspace's folder. */
  readonly workspace: string;
  /** The run's page, if it has a public address. */
  readonly url?: string;
}

const TITLES: { readonly [Name in NotifyEventName]: string } = {
  waiting: 'Question',
  failed: 'Failed',
  completed: 'Completed',
  'limit-wait': 'Usage limit',
  resumed: 'Resumed',
  budget: 'Over budget',
};

export function renderRunNotice(run: OfRun, notice: RunNotice, id: string): Message {
  const { url } = run;
  const asked =
    notice.type === 'waiting'
      ? {
          step: notice.step,
          question: visible(notice.question),
          choices: notice.choices.map((each) => visible(each)),
        }
      : notice.type === 'limit-wait'
        ? { step: notice.step }
        : {};
  return {
    event: notice.type,
    workspace: run.workspace,
    title: visible(`[${run.title}] ${TITLES[notice.type]}`),
    priority:
      notice.type === 'waiting' || notice.type === 'failed' || notice.type === 'budget' ? 'high' : 'default',
    tags: ['orchestrate', notice.type],
    body: visible([...linesOf(run, notice), '', `Run: ${run.runId} (${run.workspace})`].join('\n')),
    ...{ id, run_id: run.runId, kind: run.kind, ...asked },
    ...defined({ url }),
  };
}

function linesOf({ runId, url }: OfRun, notice: RunNotice): readonly string[] {
  switch (notice.type) {
    case 'waiting':
      return [
        notice.question,
        ...(notice.choices.length === 0 ? [] : ['', `Choices: ${notice.choices.join(', ')}`]),
        ...(notice.until === undefined ? [] : [`Expires: ${notice.until}`]),
        url === undefined
          ? `Answer: ${typedCommand(`approve ${runId} ${notice.step}${notice.choices.length === 0 ? '' : ` --choose ${notice.choices[0]}`}`)}`
          : `Answer: ${url}`,
      ];
    case 'failed':
    case 'budget':
      return [notice.why, ...costLine(notice.cost), ...(url === undefined ? [] : [url])];
    case 'completed':
      return [`Completed in ${notice.took}.`, ...costLine(notice.cost), ...(url === undefined ? [] : [url])];
    case 'limit-wait':
      return [`${notice.step}: ${notice.waits}`];
    case 'resumed':
      return [notice.isAfterDeath ? 'Its process died; it was resumed.' : 'It was resumed.'];
    default:
      return unreachable(notice);
  }
}

function costLine(cost: string | undefined): readonly string[] {
  return cost === undefined ? [] : [`Cost: ${cost}`];
}

/** Subscribers of failures are also notified if a budget ended a run. */
export function isRunNoticeWanted(
  events: readonly NotifyEventName[],
  { type }: Pick<RunNotice, 'type'>,
): boolean {
  return events.includes(type) || (type === 'budget' && events.includes('failed'));
}
