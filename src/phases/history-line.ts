/** One change of a phase, as the history keeps it. */
export type ChangedBy = 'command' | 'hook' | 'mcp' | 'run' | 'reconcile';

export interface HistoryLine {
  readonly at: string;
  readonly workflow: string;
  readonly by: ChangedBy;
  /** Of the workflow, afterwards. */
  readonly status: string;
  readonly phase?: string;
  readonly from: string | null;
  readonly to: string;
}
