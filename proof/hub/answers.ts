/** Several people answer one question at the same moment, from machines that have nothing of the run: one of the answers is accepted, and the others are refused. */
import { withDatabase } from '../cluster/database.ts';
import { must, mustEqual } from '../must.ts';
import { createSite } from '../site/site.ts';
import type { Point, Trial } from '../suite.ts';
import { createMachines } from './machines.ts';

const CHOICES = ['a', 'b', 'c', 'd'] as const;
const QUESTIONS = 3;

export function* answerPoints(count: number): Generator<Point> {
  for (let nth = 1; nth <= count; nth += 1)
    yield { id: `answers/${nth}`, check: (trial) => withDatabase(trial, (url) => answering(trial, url)) };
}

function questionsFile(): string {
  const steps = Array.from(
    { length: QUESTIONS },
    (_, nth) => `  - {name: Question${nth}, approve: {message: 'Which?', choices: [${CHOICES.join(', ')}]}}
  - {name: Taken${nth}, command: [sh, -c, 'echo "$1" > taken-${nth}.txt', sh, "\${steps.Question${nth}.output}"]}
`,
  );
  return `name: questions\nsteps:\n${steps.join('')}`;
}

async function answering(trial: Trial, url: string): Promise<void> {
  const machines = createMachines(trial, url, () => ({ 'questions.yaml': questionsFile() }));
  const { team } = machines;
  for (let n = 0; n < 2; n += 1) await machines.worker();
  const runId = await team.begin('questions.yaml');
  const people = CHOICES.map((choice) => ({
    choice,
    site: createSite(trial, { ORCHESTRATE_DATABASE_URL: url }),
  }));
  for (let nth = 0; nth < QUESTIONS; nth += 1) {
    await team.until(`question ${nth}`, async () => {
      const asked = `run_id = '${runId}' and line like '%"question-asked"%Question${nth}"%'`;
      return (await team.count(`orchestrate.events where ${asked}`)) > 0;
    });
    const answers = await Promise.all(
      people.map(async ({ choice, site }) => ({
        choice,
        ended: await site.run(['approve', runId, `Question${nth}`, '--choose', choice]),
      })),
    );
    const accepted = answers.filter(({ ended }) => ended.exitCode === 0);
    must(accepted.length === 1, () => ({
      expected: 'one answer to be accepted, and the others to be refused',
      found: answers.map(({ ended }) => `${ended.exitCode}: ${ended.stdout}${ended.stderr}`).join('\n'),
    }));
    await team.until(`the step after question ${nth}`, async () =>
      machines.files(runId).includes(`taken-${nth}.txt`),
    );
    mustEqual(machines.file(runId, `taken-${nth}.txt`), `${accepted[0]?.choice}\n`, 'answer of the run');
    trial.count('answers at the same moment', answers.length);
  }
  mustEqual(await team.end(runId), 'completed', 'status of the run');
}
