/** Whether runs on several machines work: the database, the hub, the workers, and work that nobody can take. */
import { countText } from '../../model/amounts.ts';
import type { EngineSettings } from '../../model/engine-settings.ts';
import { unreachable } from '../../model/unreachable.ts';
import { describeProblem } from '../describe-problem.ts';
import type { Problem } from '../problem.ts';
import { reachHub } from '../runs/hub-files.ts';
import type { Site } from '../site.ts';
import type { ListedWorker, StuckRun, WorkersHealth } from '../workers.ts';
import type { Finding } from './finding.ts';

/** They are set up, but cannot be used. */
export function unusableWorkers(problem: Problem): readonly Finding[] {
  if (problem.type === 'not-trusted')
    return [
      {
        ...{ area: 'workers', level: 'note', message: '`.orchestrate/engine.yaml` is not trusted yet' },
        help: 'orchestrate workers --trust',
      },
    ];
  const { message, help = 'see docs/cluster.md' } = describeProblem(problem);
  return [{ area: 'workers', level: 'problem', message, help }];
}

export async function checkWorkers(
  site: Site,
  { settings, version }: { readonly settings: EngineSettings; readonly version: string },
): Promise<readonly Finding[]> {
  const { workers } = site;
  if (workers === undefined) return [];
  const health = await workers.health(settings.deadAfterMs);
  const hub = await checkHub(site, settings);
  if (health.type === 'error') return [...unusableWorkers(health.error), ...hub];
  return [...findingsOf(health.value, { version, variable: settings.databaseEnv }), ...hub];
}

function findingsOf(
  { serverVersion, alive, stale, stuck }: WorkersHealth,
  { version, variable }: { readonly version: string; readonly variable: string },
): readonly Finding[] {
  return [
    {
      ...{ area: 'workers', level: 'ok' },
      message: `the database of ${variable} answers (PostgreSQL ${serverVersion})`,
    },
    aliveFinding(alive),
    ...alive.filter((worker) => worker.version !== version).map((worker) => otherVersion(worker, version)),
    ...stale.map(staleFinding),
    ...stuck.map(stuckFinding),
  ];
}

function aliveFinding(alive: readonly ListedWorker[]): Finding {
  if (alive.length === 0)
    return {
      ...{ area: 'workers', level: 'warning', message: 'no worker is running: runs wait until one is' },
      help: 'start one with `orchestrate worker`',
    };
  const names = alive.map(({ name, version }) => `${name} (${version})`).join(', ');
  const verb = alive.length === 1 ? 'is' : 'are';
  return {
    area: 'workers',
    level: 'ok',
    message: `${countText(alive.length, 'worker')} ${verb} running: ${names}`,
  };
}

function otherVersion(worker: ListedWorker, version: string): Finding {
  return {
    ...{ area: 'workers', level: 'warning' },
    message: `worker \`${worker.name}\` has version ${worker.version}, this machine ${version}: it takes no run that is started here`,
    help: 'install the same version on every machine',
  };
}

function staleFinding({ name, machine, beat_age_ms }: ListedWorker): Finding {
  return {
    ...{ area: 'workers', level: 'warning' },
    message: `worker \`${name}\` on ${machine} has not reported for ${Math.round(beat_age_ms / 1000)} s`,
    help: 'a running worker gives its work to others; look after that machine',
  };
}

function stuckFinding(stuck: StuckRun): Finding {
  const { runId, version, missing } = stuck;
  const wanted = `a worker with version ${version}${missing === undefined ? '' : WITH_FILES[missing]}`;
  const flag = missing === 'hub' ? ' --hub <address>' : '';
  const where = missing === 'folder' ? ' (in that folder, without a hub)' : '';
  switch (stuck.type) {
    case 'no-host':
      return {
        ...{ area: 'workers', level: 'problem' },
        message: `run ${runId} waits for ${wanted}, and none is running`,
        help:
          missing === undefined
            ? 'start a worker of this version, or cancel the run and start it again'
            : `start one${where}: orchestrate worker${flag}`,
      };
    case 'no-label':
      return {
        ...{ area: 'workers', level: 'problem' },
        message: `run ${runId}: no${wanted.slice(1)} has the label \`${stuck.label}\` of ${stuck.steps.map((step) => `\`${step}\``).join(', ')}`,
        help: stuck.label.startsWith('at:')
          ? `start it${where}: orchestrate worker${flag} --name ${stuck.label.slice(3)}`
          : `start one${where}: orchestrate worker${flag} --labels ${stuck.label}`,
      };
    default:
      return unreachable(stuck);
  }
}

const WITH_FILES = {
  hub: ' and the hub of its files',
  folder: ' in the shared folder of its files',
} as const;

async function checkHub(site: Site, { workspace }: EngineSettings): Promise<readonly Finding[]> {
  if (workspace?.type !== 'git') return [];
  const reached = await reachHub(site, workspace.hub);
  return reached.type === 'ok'
    ? [{ area: 'workers', level: 'ok', message: 'the hub answers' }]
    : [
        {
          ...{ area: 'workers', level: 'problem', message: reached.error },
          help: 'check `workspace.git.hub` of `.orchestrate/engine.yaml`, and the network',
        },
      ];
}
