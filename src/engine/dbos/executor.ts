/**
 * DBOS as this program uses it: it brings turns of runs and calls to workers, and gives the work of a dead worker to another. It keeps no result:
 * those are rows of our own. DBOS is an optional package: whoever loaded it passes it in.
 */
import type { Carrier } from './carrier.ts';
import type { Connection, Pool } from './database.ts';

/** The parts of `@dbos-inc/dbos-sdk` that are used. */
export interface DbosPackage {
  readonly DBOS: {
    setConfig(config: { readonly [name: string]: unknown }): void;
    migrate(url: string): Promise<void>;
    launch(): Promise<void>;
    shutdown(options?: {
      readonly workflowCompletionTimeoutMS?: number;
      readonly deregister?: boolean;
    }): Promise<void>;
    registerWorkflow(
      work: (id: string) => Promise<void>,
      config: { readonly name: string },
    ): (id: string) => Promise<void>;
    registerQueue(name: string, options: QueueLimits & { readonly onConflict: string }): Promise<unknown>;
    deleteWorkflows(ids: readonly string[]): Promise<void>;
  };
  readonly DBOSClient: {
    create(options: { readonly [name: string]: unknown }): Promise<DbosClient>;
  };
}

export interface DbosClient {
  enqueueInTransaction(
    connection: Connection,
    options: { readonly [name: string]: unknown },
    ...args: readonly unknown[]
  ): Promise<unknown>;
  deleteWorkflows(ids: readonly string[]): Promise<void>;
  destroy(): Promise<void>;
}

/** `@dbos-inc/dbos-sdk/internal/dbos`. */
export interface DbosInternals {
  getExecutor(): { recoverPendingWorkflows(executors: readonly string[]): Promise<readonly unknown[]> };
}

export interface QueueLimits {
  readonly workerConcurrency?: number;
  readonly globalConcurrency?: number;
  readonly rateLimit?: { readonly limitPerPeriod: number; readonly periodSec: number };
  readonly minPollingIntervalMs?: number;
}

export const APPLICATION = 'orchestrate';

export interface ExecutorOptions {
  readonly url: string;
  /** Unique for each start of a process. */
  readonly executor: string;
  readonly version: string;
  readonly queues: readonly { readonly name: string; readonly limits: QueueLimits }[];
  /** May reject only when the process is about to end: then the work is given to another worker. */
  turn(turnId: string): Promise<void>;
  call(callId: string): Promise<void>;
  /** DBOS has something to report. */
  onProblem(message: string): void;
}

export interface Executor {
  /** Work of executors that are gone goes back to its queue. */
  recover(executors: readonly string[]): Promise<void>;
  /** Takes nothing new, and waits for what runs. */
  close(waitMs: number): Promise<void>;
}

export async function launchExecutor(
  { DBOS }: DbosPackage,
  internals: DbosInternals,
  options: ExecutorOptions,
): Promise<Executor> {
  const { url, executor, version, queues, onProblem } = options;
  DBOS.setConfig({
    name: APPLICATION,
    systemDatabaseUrl: url,
    executorID: executor,
    applicationVersion: version,
    listenQueues: queues.map(({ name }) => name),
    logger: loggerTo(onProblem),
  });
  DBOS.registerWorkflow((id) => options.turn(id), { name: 'turn' });
  DBOS.registerWorkflow((id) => options.call(id), { name: 'call' });
  await DBOS.launch();
  for (const { name, limits } of queues)
    await DBOS.registerQueue(name, { ...limits, onConflict: 'always_update' });
  return {
    recover: async (executors) => {
      await internals.getExecutor().recoverPendingWorkflows(executors);
    },
    close: (waitMs) => DBOS.shutdown({ workflowCompletionTimeoutMS: waitMs, deregister: true }),
  };
}

/** Creates DBOS's own tables, for a process that only enqueues. */
export async function migrate({ DBOS }: DbosPackage, url: string): Promise<void> {
  // It prints a line about it, and takes no logger; standard output belongs to the results of the command.
  const { log } = console;
  console.log = () => {};
  try {
    await DBOS.migrate(url);
  } finally {
    console.log = log;
  }
}

export async function createCarrier(
  { DBOSClient }: DbosPackage,
  { url, pool }: { readonly url: string; readonly pool: Pool },
): Promise<Carrier & { close(): Promise<void>; forget(ids: readonly string[]): Promise<void> }> {
  const client = await DBOSClient.create({
    ...{ systemDatabaseUrl: url, systemDatabasePool: pool, applicationName: APPLICATION },
    logger: loggerTo(() => {}),
  });
  return {
    enqueue: async (connection, { type, id, queue, version }) => {
      await client.enqueueInTransaction(
        connection,
        { workflowName: type, queueName: queue, workflowID: id, appVersion: version },
        id,
      );
    },
    forget: (ids) => client.deleteWorkflows(ids),
    close: () => client.destroy(),
  };
}

/** DBOS reports an outage of the database for every query of every poll; only errors are passed on. */
function loggerTo(onProblem: (message: string) => void): {
  readonly [level: string]: (entry: unknown) => void;
} {
  const quiet = (): void => {};
  return { info: quiet, debug: quiet, warn: quiet, error: (entry) => onProblem(String(entry)) };
}
