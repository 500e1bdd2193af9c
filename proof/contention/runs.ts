/** Runs and queue takers in parallel in one workspace. */
import { must, mustEqual } from '../must.ts';
import { readJournal } from '../site/journal.ts';
import { createSite, mustEnd, until } from '../site/site.ts';
import type { Point } from '../suite.ts';
import { allEnded, startAtOnce } from './at-once.ts';

export function runsAtOnce(count: number): Point {
  return {
    id: `runs/${count}`,
    async check(trial) {
      const site = createSite(trial);
      const steps = [
        { name: 'Say', command: ['sh', '-c', 'echo ${context.number}'] },
        { name: 'Keep', command: ['echo', '${steps.Say.output}'], output_file: 'kept/${context.number}.txt' },
      ];
      site.write({ 'work.yaml': JSON.stringify({ name: 'work', context: { number: 0 }, steps }) });
      const started = await startAtOnce(site, {
        ...{ count, lock: '/lock' },
        argv: (number) => ['run', 'work.yaml', '--context', `number=${number}`, '--quiet'],
      });
      for (const ended of await allEnded(started)) mustEnd(ended, 0, ['run', 'work.yaml']);
      const runs = site.runs();
      mustEqual(runs.length, count, 'runs');
      const seen = runs.map((run) => {
        const [begun] = readJournal(site.path('.orchestrate/runs', run, 'journal.jsonl'));
        mustEqual(begun?.['runId'], run, `${run}: the run id in its journal`);
        const state = JSON.parse(site.read(`.orchestrate/runs/${run}/state.json`)) as RunState;
        mustEqual(state.status, 'completed', `${run}: status`);
        const said = state.steps['Say']?.output?.trim();
        mustEqual(said, String(state.context['number']), `${run}: the output of its step`);
        mustEqual(site.read(`kept/${said}.txt`).trim(), said, `${run}: the file of its step`);
        return said;
      });
      mustEqual(new Set(seen).size, count, 'runs with different numbers');
      const listed = JSON.parse(
        (await site.ok(['runs', '--json', '--limit', '0'])).stdout,
      ) as readonly unknown[];
      mustEqual(listed.length, count, '`orchestrate runs`');
      trial.count('runs in one workspace at once', count);
    },
  };
}

interface RunState {
  readonly status: string;
  readonly context: { readonly [key: string]: unknown };
  readonly steps: { readonly [name: string]: { readonly output?: string } };
}

/** More takers than tasks: each task goes to one taker, and the others get none. */
export function takersAtOnce(tasks: number, takers: number): Point {
  return {
    id: `queue/${tasks}/${takers}`,
    async check(trial) {
      const site = createSite(trial);
      const put = await Promise.all(
        Array.from({ length: tasks }, (_, number) =>
          site.run(['queue', 'put', 'engineer'], { stdin: `task ${number}\n` }),
        ),
      );
      for (const ended of put) mustEnd(ended, 0, ['queue', 'put']);
      mustEqual(
        site.list('inbox/engineer').filter((name) => name.endsWith('.task')).length,
        tasks,
        'inbox/engineer',
      );
      const taken = await Promise.all(
        Array.from({ length: takers }, () => site.run(['queue', 'take', 'engineer'])),
      );
      const got = taken.filter(({ exitCode }) => exitCode === 0).map(({ stdout }) => stdout.trim());
      mustEqual(got.length, tasks, 'takers that got a task');
      const texts = new Set(got.map((name) => site.read(name)));
      mustEqual(texts.size, tasks, 'different tasks taken');
      const ends = await Promise.all(
        got.map((name, number) => site.run(['queue', number % 2 === 0 ? 'done' : 'fail', name])),
      );
      for (const ended of ends) mustEnd(ended, 0, ['queue', 'done']);
    },
  };
}

/** Several users answer one question differently: one answer counts, and the run continues with it. */
export function answersAtOnce(count: number): Point {
  return {
    id: `answers/${count}`,
    async check(trial) {
      const site = createSite(trial);
      const steps = [
        { name: 'Ask', approve: { message: 'Which?', choices: ['red', 'green', 'blue'] } },
        { name: 'Say', command: ['sh', '-c', 'echo ${steps.Ask.output} >> answer.log'] },
      ];
      site.write({ 'work.yaml': JSON.stringify({ name: 'work', steps }) });
      mustEnd(await site.run(['run', 'work.yaml', '--quiet']), 3, ['run', 'work.yaml']);
      const choices = Array.from({ length: count }, () => trial.random.pick(['red', 'green', 'blue']));
      const answered = await Promise.all(
        choices.map((choice) => site.run(['approve', 'last', 'Ask', '--choose', choice])),
      );
      const accepted = choices.filter((_, number) => answered[number]?.exitCode === 0);
      must(accepted.length > 0, () => ({
        expected: 'an accepted answer',
        found: answered.map(({ stderr }) => stderr).join(''),
      }));
      const resumed = await Promise.all([0, 1, 2].map(() => site.run(['resume', 'last', '--quiet'])));
      must(
        resumed.every(({ exitCode }) => exitCode === 0 || exitCode === 4),
        () => ({
          expected: 'exit codes 0 and 4',
          found: resumed.map(({ exitCode, stderr }) => `${exitCode} ${stderr}`).join(''),
        }),
      );
      await until(trial, 'the run to end', () => site.lines('answer.log').length > 0);
      const [said = '', ...more] = site.lines('answer.log');
      mustEqual(more, [], 'answer.log: lines after the first');
      must(accepted.includes(said), () => ({ expected: `one of ${accepted.join(', ')}`, found: said }));
    },
  };
}
