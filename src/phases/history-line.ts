/** One change of a phase, as recorded in the history. */
export type ChangedBy = 'command' | 'hook' | 'mcp' | 'run' | 'reconcile';

export interface HistoryLine {
  readonly at: string;
  readonly workflow: string;
  readonly by: ChangedBy;
  /** Status of the workflow after the change. */
  readonly status: string;
  readonly phase?: string;
  readonly from: string | null;
  readonly to: string;
}
