import fs from 'node:fs';
import { must, mustEqual, shortened } from '../must.ts';
import { createSite, type Site } from '../site/site.ts';
import { tidied } from '../site/tidy.ts';
import type { Context, Point, Suite } from '../suite.ts';
import { killPoints } from './kills.ts';
import { SCENES, type Scene } from './scenes.ts';
import { KINDS, lay, mustBeThere, type Stranger } from './strangers.ts';

export const foreignFiles: Suite = {
  name: 'foreign-files',
  title:
    "The user's files, links and folders are in the places where the program writes and cleans up, with its own names and similar ones: every byte is still there afterwards, in place or under a reported name, even after a kill.",
  timeLimitMs: 240_000,
  points: tidied(pointsOf),
};

function* pointsOf(context: Context): Generator<Point> {
  const { scale, random } = context;
  const scenes = SCENES.flatMap((scene) => [othersPoint(scene), ...placePoints(scene)]);
  yield* scale === 'full'
    ? scenes
    : random.sample(
        scenes.filter(({ id }) => QUICK.test(id)),
        4,
      );
  yield* killPoints(context);
}

const QUICK = /^(?:phases|phases-begun|workflow|converse)\//;

/** Names that the program does not use, all at once. */
function othersPoint(scene: Scene): Point {
  return {
    id: `${scene.name}/others`,
    async check(trial) {
      const site = createSite(trial);
      await scene.prepare(site);
      const strangers = scene.others.map((place) => lay(site, place, 'file'));
      trial.count('files of a person', strangers.length);
      await play(site, scene, strangers);
      for (const { place, text } of strangers)
        must(isAtSomeName(site, place, text), () => ({
          expected: `\`${place}\` under its own name`,
          found: 'another name',
          where: place,
        }));
    },
  };
}

function placePoints(scene: Scene): readonly Point[] {
  return scene.places.flatMap((place) =>
    KINDS.map((kind) => ({
      id: `${scene.name}/${place.replaceAll('/', '.')}/${kind}`,
      async check(trial) {
        const site = createSite(trial);
        await scene.prepare(site);
        trial.count('files of a person');
        await play(site, scene, [lay(site, place, kind)]);
      },
    })),
  );
}

/** Each command may succeed or refuse with a message; it never crashes and never loses a file of the user. */
async function play(site: Site, scene: Scene, strangers: readonly Stranger[]): Promise<void> {
  let talk = '';
  const untouched = (scene.untouched ?? []).map((name) => [name, site.read(name)] as const);
  for (const { argv, ...options } of scene.commands) {
    const { exitCode, signal, stdout, stderr } = await site.run(argv, options);
    talk += `$ orchestrate ${argv.join(' ')}\n${stdout}${stderr}`;
    must(signal === null && exitCode !== 70 && !/internal error/.test(stderr), () => ({
      expected: `\`orchestrate ${argv.join(' ')}\` to succeed or refuse with a message`,
      found: shortened(`${signal ?? exitCode}: ${stdout}${stderr}`),
    }));
    for (const [name, text] of untouched) mustEqual(isFile(site, name) ? site.read(name) : null, text, name);
    mustBeThere(site, strangers, `${talk}${logsOf(site)}`);
  }
}

/** The logs of hooks and runs. */
function logsOf(site: Site): string {
  const logs = [
    '.claude/state/hook.log',
    ...site.runs().map((id) => `.orchestrate/runs/${id}/logs/orchestrator.log`),
  ];
  return logs.flatMap((name) => (isFile(site, name) ? [site.read(name)] : [])).join('\n');
}

function isFile(site: Site, name: string): boolean {
  try {
    return fs.statSync(site.path(name)).isFile();
  } catch {
    return false;
  }
}

/** Its folder may have been moved to the archives. */
function isAtSomeName(site: Site, place: string, text: string): boolean {
  const moved = place.replace(/^\.workflow\/WFS-/, '.workflow/archives/WFS-');
  return [place, moved].some((name) => isFile(site, name) && site.read(name).startsWith(text));
}
