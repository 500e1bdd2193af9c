/** A task of a session, as the page gets it. */
export interface Task {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly agent: string;
  readonly depends_on: readonly string[];
  readonly waits_for: readonly string[];
  readonly last_error?: string;
  readonly kept_branch?: string;
  readonly cost_usd?: number | null;
  readonly worked_ms?: number;
  readonly subtasks?: readonly Task[];
}

export interface TaskQuestion {
  readonly run_id: string;
  readonly key: string;
  readonly message: string;
  readonly choices: readonly string[];
}

export const TASK_ICONS: { readonly [status: string]: string } = {
  pending: 'skipped',
  active: 'running',
  blocked: 'failed',
  completed: 'completed',
};
