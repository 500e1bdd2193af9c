/** A question is answered about when its run stops to wait for the answer: whichever comes first, the run continues. */
import { crowding } from '../crowding.ts';
import { must, mustEqual } from '../must.ts';
import { mustEnd } from '../site/site.ts';
import type { Point, Trial } from '../suite.ts';
import { withDatabase } from './database.ts';
import { Team } from './team.ts';

const QUESTIONS = 10;
/** The run works on for this long after it has asked; `approve` takes about as long to start. */
const SHORTEST_MS = 200;
const LONGEST_MS = 2500;
const LONGEST_STUCK_MS = 10_000;

export function* answerPoints(series: number): Generator<Point> {
  for (let nth = 1; nth <= series; nth += 1)
    yield { id: `answers/${nth}`, check: (trial) => withDatabase(trial, answering(trial)) };
}

function questionsFile(trial: Trial): string {
  const steps = Array.from({ length: QUESTIONS }, (_, index) => {
    const seconds = trial.random.integer(SHORTEST_MS, LONGEST_MS) / 1000;
    return `  - name: Round${index}
    graph:
      max_parallel: 2
      steps:
        - {name: Question${index}, approve: {message: 'Continue?', choices: ['yes', 'no']}}
        - {name: Answered${index}, needs: [Question${index}], command: [sh, -c, 'echo x >> answered']}
        - {name: Busy${index}, command: [sleep, '${seconds}']}
`;
  });
  return `name: questions\nsteps:\n${steps.join('')}`;
}

function answering(trial: Trial): (url: string) => Promise<void> {
  return async (url) => {
    const team = new Team(trial, { url, files: { 'questions.yaml': questionsFile(trial) } });
    await team.worker();
    await team.worker();
    const runId = await team.begin('questions.yaml');
    const asked = (index: number): string =>
      `orchestrate.events where run_id = '${runId}' and line like '%"question-asked"%Question${index}"%'`;
    for (let index = 0; index < QUESTIONS; index += 1) {
      await team.until(`question ${index}`, async () => (await team.count(asked(index))) > 0);
      const argv = ['approve', runId, `Question${index}`, '--choose', 'yes'];
      const answered = await team.site.run(argv);
      mustEnd(answered, 0, argv);
      const since = performance.now();
      await team.until(`the answer ${index}`, async () => {
        const tookMs = performance.now() - since;
        must(tookMs < LONGEST_STUCK_MS * crowding(), () => ({
          expected: 'that the run continues after the answer',
          found: `nothing ${Math.round(tookMs / 1000)} s after it`,
        }));
        return team.site.lines('answered').length > index;
      });
      trial.count('answers about when the run stops to wait');
    }
    mustEqual(await team.end(runId), 'completed', 'status of the run');
    mustEqual(team.site.lines('answered').length, QUESTIONS, 'answers taken up');
    const [row] = await team.rows(`select turn from orchestrate.runs where run_id = '${runId}'`);
    trial.count('turns of runs that stopped to wait', Number(row?.['turn']) - 1);
  };
}
