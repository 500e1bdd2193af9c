import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type KillOrder, killAt } from '../rig/kill-at.ts';
import { countOf } from '../rig/orchestrate.ts';
import { ask, Talk, text, WRITE_FILE } from './rig.ts';

const AT_ONCE = 2;
/** Every disk operation with `KILL_STRIDE=1`, which takes minutes; otherwise every tenth, including the first and the last. */
const STRIDE = Number(process.env['KILL_STRIDE'] ?? 10);

function conversation(): Talk {
  return new Talk({
    says: [
      [
        text('Two at once.'),
        ask('toolu_1', 'note', { word: 'one' }),
        ask('toolu_2', 'note', { word: 'two' }),
        ask('toolu_3', 'write_file', { path: 'report.md', content: 'all of it' }),
      ],
      [text('Done.')],
    ],
    tools: [
      WRITE_FILE,
      {
        name: 'note',
        command: ['bash', '-c', 'echo "$1" >> notes; echo "noted $1"', 'bash', '{{input.word}}'],
        input_schema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
        parallel_safe: true,
      },
    ],
  });
}

function run(talk: Talk, order: KillOrder) {
  return talk.converse(['run', 'talk', '--session', 'mine', '-q'], { env: killAt(order) });
}

/** Everything that must be the same however often it was killed: no times, no run ids. */
function outcome(talk: Talk) {
  const { created_at: _1, completed_at: _2, metadata, ...session } = talk.session();
  return {
    session,
    task: (metadata as { task: string }).task,
    history: talk.history().map(({ timestamp: _, ...message }) => message),
    results: talk.results().results.map(({ executed_at: _, ...result }) => result),
    // The next process takes over the lock of a dead one.
    files: talk.list('talk').filter((name) => name !== 'notes' && !name.endsWith('.lock')),
    prompts: [1, 2].map((n) => talk.read(`talk/prompts/iteration_00${n}.txt`)),
    responses: [1, 2].map((n) => talk.read(`talk/responses/iteration_00${n}.json`)),
    report: talk.read('talk/report.md'),
  };
}

/** Tools that ran again although their result was recorded. */
function repeatedTools(talk: Talk): readonly string[] {
  const done = new Set<string>();
  const repeated: string[] = [];
  for (const runId of talk.runs()) {
    for (const event of talk.journal(runId) as readonly { type: string; key?: string; effect?: string }[]) {
      const key = event.key ?? '';
      if (event.effect !== 'run-tool') continue;
      if (event.type === 'step-ended') done.add(key);
      else if (event.type === 'step-started' && done.has(key)) repeated.push(key);
    }
  }
  return repeated;
}

describe('a killed conversation', () => {
  it('resumes with the same result, whichever disk operation it was killed at', {
    timeout: 600_000,
  }, async () => {
    const undisturbed = conversation();
    const trace = path.join(undisturbed.folder, 'trace');
    expect(await run(undisturbed, { trace })).toMatchObject({ exitCode: 0 });
    const writes = countOf(undisturbed, 'trace');
    expect(writes).toBeGreaterThan(50);
    const expected = outcome(undisturbed);

    const check = async (at: number): Promise<void> => {
      const talk = conversation();
      const killed = await run(talk, { when: 'before', number: at });
      const where = `killed before operation ${at} of ${writes}`;
      if (killed.signal !== 'SIGKILL') {
        // The number of lock attempts varies, so the last few operations may not be reached.
        expect(killed, where).toMatchObject({ exitCode: 0 });
        expect(at, where).toBeGreaterThan(writes - 10);
      } else {
        const isThere = talk.has('talk/state/mine.json');
        const again = isThere ? ['resume', 'talk', '-q'] : ['run', 'talk', '--session', 'mine', '-q'];
        const resumed = await talk.converse(again);
        expect(resumed, `${where}\n${resumed.stderr}`).toMatchObject({ exitCode: 0 });
      }
      expect(outcome(talk), where).toEqual(expected);
      expect(repeatedTools(talk), where).toEqual([]);
      expect(new Set(talk.read('talk/notes').trim().split('\n')), where).toEqual(new Set(['one', 'two']));
    };
    const points = Array.from({ length: writes }, (_, index) => index + 1).filter(
      (at) => at % STRIDE === 1 || STRIDE === 1 || at === writes,
    );
    const lane = async (): Promise<void> => {
      for (let at = points.shift(); at !== undefined; at = points.shift()) await check(at);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
  });
});
