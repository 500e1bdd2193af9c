import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { OwnPostgres } from '../../cluster/trying/own-postgres.ts';
import { onStopSignal } from '../../host/stop-signals.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import { DEFAULT_LABEL, type EngineSettings, LABEL_PATTERN } from '../../model/engine-settings.ts';
import type { Result } from '../../model/result.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { Problem } from '../../operations/problem.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import { addTrustOption, type TrustOption, wholeNumber } from '../run-options.ts';
import { hubOf, reachMachines, workerSettings } from '../running/machines.ts';
import { siteOf } from '../site.ts';
import { withTrust } from '../trust/with-trust.ts';
import { versionOf } from '../version.ts';

interface WorkerFlags extends TrustOption {
  readonly labels?: string;
  readonly name?: string;
  readonly drain: number;
  readonly runs: boolean;
  readonly hub?: string;
  readonly try?: boolean;
}

const DRAIN_SEC = 60;

export function define(command: Command, context: CliContext): void {
  addTrustOption(command)
    .option('--labels <labels>', `labels of the steps it takes, with commas (default: ${DEFAULT_LABEL})`)
    .option('--name <name>', 'its name (default: the name of this machine)')
    .option('--drain <sec>', 'how long it waits for running work when it is stopped', wholeNumber, DRAIN_SEC)
    .option('--no-runs', 'host no runs, only take steps')
    .option('--hub <address>', 'the repository through which files travel (default: that of engine.yaml)')
    .option('--try', 'also start a PostgreSQL of its own, in `.orchestrate/postgres`, to try it out')
    .addHelpText('after', '\nExample:\n  orchestrate worker --labels default,claude')
    .action(async (flags: WorkerFlags) => {
      context.exitCode = await work(context, flags);
    });
}

async function work(context: CliContext, flags: WorkerFlags): Promise<number> {
  const labels = (flags.labels ?? DEFAULT_LABEL).split(',').map((label) => label.trim());
  const name = flags.name ?? hostname().toLowerCase();
  const wrong = [...labels, name].find((each) => !LABEL_PATTERN.test(each));
  if (wrong !== undefined) {
    context.err(
      `error: \`${wrong}\` is not a label or a name\nhelp: use lower-case letters, digits, - and _\n`,
    );
    return EXIT.usage;
  }
  const settings = await withTrust(context, flags, () => workerSettings(siteOf(context), flags.hub));
  if (settings === 'not-trusted') return EXIT.usage;
  if (settings.type === 'error') return refuse(context, settings.error);
  const own = flags.try === true ? await startOwn(context, settings.value) : undefined;
  if (own?.type === 'error') return refuse(context, own.error);
  try {
    return await workIn(context, { flags, labels, name, settings: settings.value });
  } finally {
    await own?.value.stop();
  }
}

/** The address is in the environment of this process, as it is for workers that others set up. */
async function startOwn(
  context: CliContext,
  { databaseEnv }: EngineSettings,
): Promise<Result<OwnPostgres, Problem>> {
  const { startOwnPostgres } = await import('../../cluster/trying/own-postgres.ts');
  const { workspace, environment } = siteOf(context);
  const own = await startOwnPostgres({ workspace, environment, dist: context.dist });
  if (own.type === 'error') return own;
  process.env[databaseEnv] = own.value.url;
  context.err(
    `PostgreSQL runs in .orchestrate/postgres, until this worker ends. In another terminal, in this folder:\n  export ${databaseEnv}=${own.value.url}\n  orchestrate run <workflow> --engine\n`,
  );
  return own;
}

async function workIn(
  context: CliContext,
  {
    flags,
    labels,
    name,
    settings,
  }: {
    readonly flags: WorkerFlags;
    readonly labels: readonly string[];
    readonly name: string;
    readonly settings: EngineSettings;
  },
): Promise<number> {
  const reached = await reachMachines(context, settings);
  if (reached.type === 'error') return refuse(context, reached.error);
  const { machines } = reached.value;
  const { runWorker } = await import('../../cluster/worker.ts');
  const stop = new AbortController();
  const dispose = onStopSignal((signal) => {
    if (stop.signal.aborted) process.exit(EXIT.interrupted[signal]);
    context.err(
      `Received ${signal}: waiting up to ${flags.drain} s for running work. A second signal ends it at once.\n`,
    );
    stop.abort();
  });
  const end = await runWorker(machines, {
    ...{ site: siteOf(context), settings, dist: context.dist, version: versionOf(context) },
    ...{ name, labels, takesRuns: flags.runs, drainMs: flags.drain * 1000, signal: stop.signal },
    warden: [process.execPath, join(context.dist, '..', 'bin', 'orchestrate.js'), 'warden'],
    onReady: (executor) =>
      context.err(
        `worker \`${name}\` (${executor}) takes ${flags.runs ? 'runs and ' : ''}steps labelled ${labels.join(', ')}. Ctrl-C stops it.\n`,
      ),
    onProblem: (problem) => context.err(`warning: ${problem}\n`),
  });
  dispose();
  switch (end.type) {
    case 'stopped':
      await machines.close();
      return EXIT.done;
    case 'name-in-use':
      await machines.close();
      return refuse(context, { type: 'worker-name-in-use', name: end.name });
    case 'no-files': {
      await machines.close();
      const reason = describeFailure(end.failure);
      return refuse(context, { type: 'hub-failed', hub: hubOf(settings), reason });
    }
    case 'given-up':
      context.err(`error: this worker was given up: ${end.reason}\n`);
      // Work that was taken over must not continue here.
      process.exit(EXIT.failed);
      break;
    default:
      return unreachable(end);
  }
}
