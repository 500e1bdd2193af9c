/** Machines that share a database and a bare repository, and nothing else: each has a folder, a home and a cache of its own. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { Team, type TeamWorker } from '../cluster/team.ts';
import { must, mustEqual } from '../must.ts';
import { createSite, type Site } from '../site/site.ts';
import type { Trial } from '../suite.ts';

const DATABASE_VARIABLE = 'ORCHESTRATE_DATABASE_URL';

export interface Machines {
  readonly team: Team;
  readonly hub: string;
  /** A folder that no machine has as its own, in which steps say what they do. */
  readonly outside: Site;
  /** A worker on a new machine. */
  worker(does?: 'all' | 'hosts' | 'calls', trial?: Trial): Promise<TeamWorker>;
  /** A file of a run as it is now. */
  file(runId: string, name: string): string;
  /** Names of the files of a run. */
  files(runId: string): readonly string[];
  /** Every ref with its commit. */
  refs(): readonly string[];
  git(...argv: readonly string[]): string;
}

/** The user has a checkout of a project with these files, and one that is changed and not committed: `mine.txt`. */
export function createMachines(
  trial: Trial,
  url: string,
  files: (outside: string) => Readonly<Record<string, string>>,
): Machines {
  const outside = createSite(trial);
  const hub = outside.path('hub.git');
  const bare = (...argv: readonly string[]): string => gitIn(hub, argv);
  execFileSync('git', ['init', '--quiet', '--bare', hub]);
  const team = new Team(trial, { url, files: files(outside.folder), hub, outside });
  const git = (...argv: readonly string[]): string => gitIn(team.site.folder, argv);
  team.site.write({ '.gitignore': '.orchestrate/\n.config/\n.cache/\n', 'mine.txt': 'committed\n' });
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Proof');
  git('config', 'user.email', 'proof@example.com');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
  team.site.write({ 'mine.txt': 'changed\n' });
  const head = (runId: string): string => `refs/orchestrate/${runId}/head`;
  return {
    team,
    hub,
    outside,
    git,
    worker: (does, of = trial) => {
      const site = createSite(of, { [DATABASE_VARIABLE]: url });
      site.write({ '.orchestrate/engine.yaml': team.engineFile });
      return team.worker(does, { site, env: { XDG_CACHE_HOME: path.join(site.folder, '.cache') } });
    },
    file: (runId, name) => bare('show', `${head(runId)}:${name}`),
    files: (runId) => bare('ls-tree', '-r', '--name-only', head(runId)).split('\n').filter(Boolean),
    refs: () => bare('for-each-ref', '--format=%(refname) %(objectname)').split('\n').filter(Boolean),
  };
}

function gitIn(folder: string, argv: readonly string[]): string {
  return execFileSync('git', ['-C', folder, ...argv], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The hub has what the run needs to be pulled, and nothing of its calls. */
export function mustHaveNoCalls({ refs }: Machines, runId: string): void {
  const left = refs()
    .map((line) => line.split(' ')[0] ?? '')
    .filter((ref) => ref.startsWith(`refs/orchestrate/${runId}/`))
    .filter((ref) => !/\/(?:start|head|run\/files|kept\/.+)$/.test(ref));
  mustEqual(left, [], 'refs of calls after the end of the run');
}

/** What the run changed comes into the working tree, and what the user changed stays. */
export async function mustBePulled({ team, git }: Machines, runId: string, files: number): Promise<void> {
  const before = git('rev-parse', 'HEAD');
  await team.site.ok(['pull', runId, '--merge']);
  mustEqual(git('rev-parse', 'HEAD'), before, 'commit of the user');
  mustEqual(team.site.read('mine.txt'), 'changed\n', 'what the user has not committed');
  const pulled = team.site.list('.').filter((name) => name.startsWith('item-'));
  must(pulled.length === files, () => ({
    expected: `${files} files of items in the working tree`,
    found: pulled.join(', '),
  }));
}
