/** Every example looks the same whether this machine or workers carried it out, but for times and ids. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { explainRun } from '../../src/engine/explain.ts';
import { readRunWithEvents } from '../../src/operations/runs/read-run.ts';
import { renderReport } from '../../src/report/render-report.ts';
import { renderRun } from '../../src/report/render-run.ts';
import { copyExample, EXAMPLE_NAMES, EXAMPLES, type Expected, playExample } from '../rig/example.ts';
import type { Workspace } from '../rig/orchestrate.ts';
import { databaseForFile } from '../rig/postgres/for-file.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { Team } from './team.ts';

const database = databaseForFile();

/** What all examples together need: the workers are started once. */
const ENV = Object.assign(
  {},
  ...EXAMPLE_NAMES.map((name) => {
    const file = path.join(EXAMPLES, name, 'expected.json');
    return (JSON.parse(fs.readFileSync(file, 'utf8')) as Expected).env ?? {};
  }),
) as { readonly [name: string]: string };

/** The folder of the workers, with one example after the other; its runs stay. */
class Stage {
  readonly team: Team;
  readonly #programs = temporaryFolder();

  constructor(url: string) {
    this.team = new Team(url, {});
  }

  get env(): { readonly [name: string]: string } {
    return { ...this.team.env, ...ENV, PATH: `${this.#programs}:${process.env['PATH']}` };
  }

  /** An example in the place of the one before. */
  set(name: string): Expected {
    const { folder } = this.team.workspace;
    // Settings and answers of trust stay.
    for (const each of fs.readdirSync(folder))
      if (!['.orchestrate', '.config'].includes(each))
        fs.rmSync(path.join(folder, each), { recursive: true });
    fs.rmSync(path.join(folder, '.orchestrate', 'cache'), { recursive: true, force: true });
    fs.cpSync(path.join(EXAMPLES, name), folder, { recursive: true });
    const expected: Expected = JSON.parse(this.team.workspace.read('expected.json'));
    if (expected.git === true) execFileSync('git', ['-C', folder, 'init', '--quiet']);
    for (const each of fs.readdirSync(this.#programs)) fs.rmSync(path.join(this.#programs, each));
    for (const [program, script] of Object.entries(expected.programs ?? {}))
      fs.writeFileSync(path.join(this.#programs, program), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return expected;
  }

  /** Types the commands of the example; runs are carried out by workers. Returns how its last run is shown. */
  async play({ commands }: Expected): Promise<Shown> {
    const { workspace } = this.team;
    let before = '';
    for (const act of commands) {
      if ('remove' in act) {
        workspace.remove(act.remove);
        continue;
      }
      const [command = ''] = act.argv;
      // Here a run continues by itself when it is answered.
      if (!(command === 'resume' && before === 'approve')) {
        const argv = command === 'run' ? [...act.argv, '--engine'] : act.argv;
        const ended = await workspace.run(argv, { env: this.env });
        expect(ended.exitCode, `${argv.join(' ')}\n${ended.stderr}`).toBe(act.exitCode);
        await this.#settled();
      }
      before = command;
    }
    return shownOf(workspace);
  }

  async #settled(): Promise<void> {
    for (;;) {
      const open = await this.team.rows(`select from orchestrate.runs where state in ('queued', 'live')`);
      if (open.length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

interface Shown {
  readonly show: string;
  readonly report: string;
  readonly explain: string;
}

function shownOf(workspace: Workspace): Shown {
  const read = readRunWithEvents({ workspace: fs.realpathSync(workspace.folder) }, 'last');
  if (read.type === 'error') throw new Error(JSON.stringify(read.error));
  const { state, events, isAlive, runId } = read.value;
  const now = Date.parse(state.updated_at);
  const plain = (text: string): string => withoutTimes(text.replaceAll(runId, 'RUN'), workspace);
  const explained = explainRun(events).map(({ key, reasons }) =>
    [key, ...reasons.map(({ type, message }) => `  ${type} ${message}`)].join('\n'),
  );
  return {
    show: plain(renderRun(state, { color: false, now, isAlive, all: true })),
    report: inAnyOrder(plain(renderReport({ state, events, isAlive, now }, 'md'))),
    // Steps at the same time begin and end in any order, also in two runs of one machine.
    explain: plain(explained.sort().join('\n')),
  };
}

const NODE = /\b(n\d+)\["(.*)"\]/;

/** The bars of the chart of a report are in the order of their times; so are steps of its flow that run at the same time. */
function inAnyOrder(report: string): string {
  const lines = report.split('\n');
  const isBar = (line: string): boolean => / :(?:done|crit|active), /.test(line);
  const bars = lines.filter(isBar).sort();
  const ordered = lines.map((line) => (isBar(line) ? (bars.shift() ?? '') : line));
  const begin = lines.indexOf('flowchart TD');
  if (begin < 0) return ordered.join('\n');
  const end = lines.indexOf('```', begin);
  const flow = sortedFlow(lines.slice(begin, end));
  return [...ordered.slice(0, begin), ...flow, ...ordered.slice(end)].join('\n');
}

/** Nodes by their texts, each with what it is part of. */
function sortedFlow(lines: readonly string[]): readonly string[] {
  const texts = new Map<string, string>();
  const within: string[] = [];
  for (const line of lines) {
    const [, id = '', text = ''] = NODE.exec(line) ?? [];
    if (id !== '') texts.set(id, [...within, text].join(' > '));
    if (line.trim() === 'end') within.pop();
    if (line.trim().startsWith('subgraph ')) within.push(text);
  }
  return lines
    .map((line) => {
      const [, id = ''] = NODE.exec(line) ?? [];
      if (id !== '') return line.replace(NODE, `"${texts.get(id)}"`);
      const named = line.replaceAll(/\bn\d+\b/g, (each) => `"${texts.get(each)}"`);
      return named.replace(/".*"/, (list) => list.split(',').sort().join(','));
    })
    .sort();
}

/** Times, durations, ids and the folder. */
function withoutTimes(text: string, { folder }: Workspace): string {
  return text
    .replaceAll(fs.realpathSync(folder), 'FOLDER')
    .replaceAll(path.basename(folder), 'NAME')
    .replaceAll(/\b\d{8}T\d{6,9}Z?(?:-\d{4}-[0-9a-f]{6}|-\w{6})?\b/g, 'ID')
    .replaceAll(/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?/g, 'DATE')
    .replaceAll(/\b\d{1,2}:\d\d(?::\d\d)?\b/g, 'TIME')
    .replaceAll(/\b\d+(?:\.\d+)? ?(?:ms|s|min)\b(?: \d+ s\b)?/g, 'TOOK')
    .replaceAll(/\b[0-9a-f]{7,64}\b/g, 'HEX')
    .replaceAll(/ +(?=TOOK|DATE|TIME)/g, ' ');
}

async function playedHere(name: string): Promise<Shown> {
  const here = copyExample(name);
  await playExample(here);
  return shownOf(here.workspace);
}

it('every example is shown, reported and explained as a run of this machine is', async () => {
  const stage = new Stage(await database.create());
  await Promise.all(['one', 'two'].map((name) => stage.team.worker(name, { env: stage.env })));
  for (const name of EXAMPLE_NAMES) {
    const [far, near] = await Promise.all([stage.play(stage.set(name)), playedHere(name)]);
    expect.soft(far.show, `show of ${name}`).toBe(near.show);
    expect.soft(far.report, `report of ${name}`).toBe(near.report);
    expect.soft(far.explain, `explain of ${name}`).toBe(near.explain);
  }
}, 600_000);
