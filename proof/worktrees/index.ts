/**
 * Kills the program around and within every call of git while it makes, commits and merges worktrees, and at its own disk operations.
 * The stand-in for git finds the owner of the run in its lock, and kills it before or after the real git runs, or both in the middle.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { must, shortened } from '../must.ts';
import { mustEnd } from '../site/site.ts';
import { tidied } from '../site/tidy.ts';
import type { Context, Point, Suite, Trial } from '../suite.ts';
import { ENVIRONMENT, mustBeComplete, type Play, run, setUp } from './play.ts';

export const worktrees: Suite = {
  name: 'worktrees',
  title:
    "A run with isolated work is killed before, after and within every call of git, and at its own disk operations: resumed, it has merged everything once, left no worktree, branch or lock, and the user's staged, unstaged and untracked changes are byte for byte as before.",
  timeLimitMs: 180_000,
  atOnce: 2,
  points: tidied(pointsOf),
};

/** More calls than a run makes; what is beyond is skipped. */
const CALLS = 260;
const OPERATIONS = 400;
const QUICK = 3;
const HOWS = ['before', 'after', 'within'] as const;
type How = (typeof HOWS)[number];

function* pointsOf({ scale, random }: Context): Generator<Point> {
  const git = HOWS.flatMap((how) => Array.from({ length: CALLS }, (_, n) => gitPoint(how, n + 1)));
  const disk = (['before', 'after'] as const).flatMap((when) =>
    Array.from({ length: OPERATIONS }, (_, n) => diskPoint(when, n + 1)),
  );
  if (scale === 'full') {
    yield* git;
    yield* disk;
    return;
  }
  yield* random.sample(
    git.filter(({ id }) => /\/\d{2}$/.test(id)),
    QUICK,
  );
  yield* random.sample(
    disk.filter(({ id }) => /\/\d{2}$/.test(id)),
    1,
  );
}

function gitPoint(how: How, number: number): Point {
  return {
    id: `git/${how}/${number}`,
    async check(trial) {
      const play = setUp(trial);
      const { site } = play;
      site.write({ '.bin/git': standIn(play, { how, number, delayMs: trial.random.integer(0, 12) }) });
      const killed = await site.run(run('run', 'w.yaml'), { env: ENVIRONMENT(site) });
      if (killed.signal === null) {
        mustEnd(killed, 0, ['run']);
        trial.skip('it makes fewer calls of git, or this one is not interrupted');
      }
      trial.count(`kills ${how} a call of git`);
      await playOn(play);
    },
  };
}

function diskPoint(when: 'before' | 'after', number: number): Point {
  return {
    id: `disk/${when}/${number}`,
    async check(trial) {
      const play = setUp(trial);
      const { site } = play;
      const env = { ...ENVIRONMENT(site), ...killAt(trial, { when, number }) };
      const killed = await site.run(run('run', 'w.yaml'), { env });
      if (killed.signal === null) trial.skip('it makes fewer operations');
      trial.count('kills at a disk operation');
      await playOn(play);
    },
  };
}

/** The run is resumed; one that was killed before it began is started again. */
async function playOn(play: Play): Promise<void> {
  const { site } = play;
  const env = ENVIRONMENT(site);
  const again = await site.run(run('resume', 'last'), { env });
  const isUnknown = again.exitCode === 2 && again.stderr.includes('no runs in this folder yet');
  if (isUnknown) mustEnd(await site.run(run('run', 'w.yaml'), { env }), 0, ['run']);
  else
    must(again.exitCode === 0 || again.stderr.includes('completed'), () => ({
      expected: 'the run to be resumed, or to be completed',
      found: shortened(`${again.signal ?? again.exitCode}: ${again.stdout}${again.stderr}`),
    }));
  mustBeComplete(play);
}

function killAt({ root }: Trial, order: object): Readonly<Record<string, string>> {
  const shim = path.join(root, 'proof', 'rig', 'kill-at.cjs');
  return { NODE_OPTIONS: `--require=${shim}`, KILL_AT: JSON.stringify(order) };
}

/**
 * `within`: not for `update-ref`. It locks files of the user's own branch for a moment, and git cannot tell a lock of a killed git from one
 * that is in use, nor can anyone else: then the run fails and says so. Git gets its input, which a shell closes for what it starts with `&`.
 */
function standIn(
  { site }: Play,
  { how, number, delayMs }: { readonly how: How; readonly number: number; readonly delayMs: number },
): string {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const owner = `$(cat "${site.path('work/.orchestrate/runs')}"/*/lock 2>/dev/null | sed -n 's/.*"pid":\\([0-9]*\\).*/\\1/p' | head -1)`;
  const kill = `kill -9 ${owner}; exit 137`;
  const within =
    how === 'within'
      ? `case "$*" in *update-ref*) exec "${real}" "$@" ;; esac
exec 3<&0
"${real}" "$@" <&3 & child=$!
sleep 0.0${String(delayMs).padStart(2, '0')}
kill -9 $child 2>/dev/null || { wait $child; exit; }
${kill}`
      : `"${real}" "$@"\n${kill}`;
  return `#!/bin/sh
case "$PWD" in */work*) ;; *) exec "${real}" "$@" ;; esac
mkdir "${site.path('.home')}/calls" 2>/dev/null
: > "$(mktemp "${site.path('.home')}/calls/XXXXXXXX")"
[ "$(ls "${site.path('.home')}/calls" | wc -l)" -eq ${number} ] || exec "${real}" "$@"
ls ${site.path('work/.orchestrate/runs')}/*/lock >/dev/null 2>&1 || exec "${real}" "$@"
${how === 'before' ? kill : within}
`;
}
