/** Moves the folder in which a run works, and may put another in its place. */
import fs from 'node:fs';
import path from 'node:path';
import { must, shortened } from '../must.ts';
import { startProgram } from '../program.ts';
import { readJournal } from '../site/journal.ts';
import { type ProgramCase, programCases, writeAgent } from '../site/programs.ts';
import { createSite, mustEnd, runsIn, until } from '../site/site.ts';
import type { Point } from '../suite.ts';
import { COMMANDS } from './owners.ts';

/** Works in its start folder, whatever its current name. */
const BODY = `begin
echo call >> "$HOME/calls"
until [ -e go ]; do sleep 0.05; done
finish`;

export function* movedPoints(): Generator<Point> {
  for (const how of ['moved', 'replaced'] as const) {
    yield movedPoint(COMMANDS, how, 'command');
    for (const program of programCases()) yield movedPoint(program, how, program.name);
  }
}

function movedPoint(program: ProgramCase, how: 'moved' | 'replaced', name: string): Point {
  return {
    id: `folder/${how}/${name}`,
    async check(trial) {
      const around = trial.folder();
      const [before, after] = [path.join(around, 'before'), path.join(around, 'after')];
      fs.mkdirSync(before);
      const site = createSite({ ...trial, folder: () => before });
      await program.prepare(site);
      writeAgent(site, program, BODY);
      const started = site.start(program.start);
      await until(trial, 'the agent to work', () => site.has('calls'));
      fs.renameSync(before, after);
      if (how === 'replaced') fs.mkdirSync(before);
      for (const place of agentPlaces(after)) fs.writeFileSync(path.join(place, 'go'), '');
      const { exitCode, stdout, stderr } = await started.ended;
      must(exitCode !== 0 && exitCode !== null && exitCode !== 70, () => ({
        expected: 'an end that is neither a success nor a bug',
        found: `${exitCode}: ${shortened(`${stdout}${stderr}`)}`,
      }));
      const made = fs.existsSync(before) ? fs.readdirSync(before) : [];
      must(fs.existsSync(before) === (how === 'replaced') && made.length === 0, () => ({
        expected: 'nothing created in the old place',
        found: made.join(', '),
      }));
      for (const run of runsIn(after)) {
        const last = readJournal(path.join(after, '.orchestrate/runs', run, 'journal.jsonl')).at(-1);
        must(last?.['status'] !== 'completed', () => ({
          expected: 'no completed run',
          found: JSON.stringify(last),
        }));
      }
      if (program.name !== 'workflow') return;
      const env = { PATH: `${path.join(after, '.bin')}:${process.env['PATH'] ?? ''}` };
      const call = { root: trial.root, folder: after, argv: program.resume, env, signal: trial.signal };
      mustEnd(await startProgram(call).ended, 0, program.resume);
      trial.count('runs resumed in the new place');
    },
  };
}

/** An agent may work in a folder of the project. */
function agentPlaces(folder: string): readonly string[] {
  const names = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  const folders = names
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name));
  return [folder, ...folders];
}
