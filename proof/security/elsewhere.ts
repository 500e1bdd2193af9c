/**
 * Every file that a program keeps in a workspace is replaced by a link to a file outside, a hard link, a pipe or a folder; every folder
 * by a link to one outside. Whatever the program reports: nothing outside is shown or changed, and nothing blocks.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { must, mustEqual } from '../must.ts';
import { type ProgramCase, programCases, writeAgent } from '../site/programs.ts';
import type { Point } from '../suite.ts';
import { createFenced, type Fenced, filesIn, SENTINEL } from './outside.ts';
import { mustRefuse } from './traversal/leading-out.ts';

/** Commands besides resuming the work. */
const READING: Readonly<Record<ProgramCase['name'], readonly (readonly string[])[]>> = {
  workflow: [['runs'], ['show', 'last'], ['logs', 'last'], ['clean', '--older-than', '0m', '--force']],
  iterate: [
    ['iterate', 'list'],
    ['iterate', 'show', 'task'],
    ['iterate', 'archive', 'save', 'task'],
  ],
  session: [['task', 'list'], ['session', 'status'], ['views'], ['session', 'complete']],
  converse: [
    ['converse', 'list', 'talk'],
    ['converse', 'history', 'talk'],
    ['converse', 'archive', 'talk'],
  ],
  phases: [
    ['phases', 'show'],
    ['phases', 'retry', 'phase_0'],
    ['phases', 'archive'],
  ],
};

/** Paths given on the command line may lead anywhere; all others are tested. */
const NOT_OURS = /^(?:work\.yaml|before\.log|after\.log|\.bin\/.*)$/;

const KINDS = {
  link: ({ outside }: Fenced, place: string) => fs.symlinkSync(path.join(outside, 'secret.txt'), place),
  'hard-link': (_: Fenced, place: string, twin: string) => fs.linkSync(twin, place),
  pipe: (_: Fenced, place: string) => execFileSync('mkfifo', [place]),
  folder: (_: Fenced, place: string) => fs.mkdirSync(place),
} as const;

export function* elsewherePoints(): Generator<Point> {
  for (const program of programCases({ iterations: 2 })) {
    for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[])
      yield {
        id: `elsewhere/${program.name}/${kind}`,
        check: (trial) => checkFiles(program, createFenced(trial), kind),
      };
    yield {
      id: `elsewhere/${program.name}/folder-link`,
      check: (trial) => checkFolders(program, createFenced(trial)),
    };
  }
}

async function checkFiles(program: ProgramCase, fenced: Fenced, kind: keyof typeof KINDS): Promise<void> {
  const { site } = fenced;
  const kept = await furnished(program, fenced);
  const twin = path.join(site.trial.folder(), 'twin');
  for (const name of filesIn(kept).filter((each) => !NOT_OURS.test(each))) {
    putBack(fenced, kept);
    const content = fs.readFileSync(site.path(name));
    fs.rmSync(twin, { force: true });
    fs.writeFileSync(twin, content);
    fs.rmSync(site.path(name));
    KINDS[kind](fenced, site.path(name), twin);
    await useAll(program, fenced);
    mustEqual(fs.readFileSync(twin).equals(content), true, `the other name of ${name} is unchanged`);
  }
}

async function checkFolders(program: ProgramCase, fenced: Fenced): Promise<void> {
  const kept = await furnished(program, fenced);
  const folders = new Set(
    filesIn(kept)
      .filter((each) => !NOT_OURS.test(each))
      .flatMap(foldersOf),
  );
  for (const name of folders) {
    putBack(fenced, kept);
    fs.rmSync(fenced.site.path(name), { recursive: true });
    fs.symlinkSync(fenced.outside, fenced.site.path(name));
    await useAll(program, fenced);
  }
}

/** Returns a copy of the workspace in which the work was done once. */
async function furnished(program: ProgramCase, { site }: Fenced): Promise<string> {
  await program.prepare(site);
  writeAgent(site, program, 'begin; finish');
  await site.ok(program.start);
  // From now on the agent writes no file: it would follow the links itself.
  const { leaves: _left, ...idle } = program;
  writeAgent(site, idle, 'begin; finish');
  const kept = site.trial.folder();
  fs.cpSync(site.folder, kept, { recursive: true });
  must(filesIn(kept).length > 3, () => ({ expected: 'files of the program', found: 'none' }));
  return kept;
}

function putBack({ site }: Fenced, kept: string): void {
  for (const name of fs.readdirSync(site.folder))
    fs.rmSync(site.path(name), { recursive: true, force: true });
  fs.cpSync(kept, site.folder, { recursive: true });
}

async function useAll(program: ProgramCase, fenced: Fenced): Promise<void> {
  for (const argv of [program.resume, program.start, ...READING[program.name]]) {
    const ended = await fenced.site.run(argv);
    mustRefuse(fenced, ended, argv);
    must(!ended.stdout.includes(SENTINEL), () => ({ expected: 'nothing from outside', found: ended.stdout }));
  }
}

/** `a/b/c` → `a`, `a/b`. */
function foldersOf(file: string): readonly string[] {
  const names = file.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}
