/** An event worth notifying a user about. */
export type Notice =
  | { readonly type: 'setup_complete' }
  | { readonly type: 'execution_start'; readonly mode: string; readonly maxIterations: number }
  | {
      readonly type: 'iteration' | 'iteration_milestone';
      readonly iteration: number;
      readonly maxIterations: number;
      readonly remaining?: number;
      readonly summary?: string;
    }
  | {
      readonly type: 'completion';
      readonly iterations: number;
      readonly stopReason: string;
      readonly summary?: string;
    }
  | { readonly type: 'question'; readonly message: string; readonly choices: readonly string[] }
  /** The maximum was reached before the task was complete. */
  | (SoFar & { readonly type: 'ended'; readonly iterations: number; readonly maxIterations: number })
  /** For `waits`: the end of the wait, in words. */
  | (SoFar & { readonly type: 'usage_limit'; readonly iteration?: number; readonly waits: string })
  | { readonly type: 'error'; readonly iteration?: number; readonly message: string }
  | {
      readonly type: 'status_update';
      readonly iteration: number;
      readonly progress?: { readonly completed: number; readonly total: number };
      readonly completedDelta: number;
      readonly summary?: string;
      readonly complete: boolean;
    }
  | {
      readonly type: 'verification';
      readonly status: 'pass' | 'fail' | 'needs_review';
      readonly summary?: string;
    };

/** What has been spent, and what is left to do. */
export interface SoFar {
  readonly cost?: string;
  readonly remaining?: number;
}

/** The message to send, independent of the service. */
export interface Message {
  readonly event: string;
  readonly workspace: string;
  readonly title: string;
  readonly priority: 'default' | 'high' | 'urgent';
  readonly tags: readonly string[];
  readonly body: string;
  /** The same for every attempt to send it, so that a service can tell them apart. */
  readonly id?: string;
  readonly run_id?: string;
  readonly kind?: string;
  /** The step that asks or failed. */
  readonly step?: string;
  readonly question?: string;
  readonly choices?: readonly string[];
  /** The page on which it is answered or shown. */
  readonly url?: string;
}
