/** A blocked agent asks a person. */
import { describe, expect, it } from 'vitest';
import { startHttpTarget } from '../notify/http-target.ts';
import { NO_VERIFY, Project, status } from './rig.ts';

describe('a blocker with a question', () => {
  const blockers = [{ question: 'Which database?', choices: ['postgres', 'sqlite'] }, 'a plain blocker'];

  it('makes the loop wait in no process, is answered by `approve`, and the answer is in the next prompt', async () => {
    const target = await startHttpTarget();
    const project = new Project();
    await project.task(['--notify-url', target.url, '--notify-events', 'error']);
    project.agent({ calls: [status({ complete: false, blockers }), status({ complete: true })] });
    const waits = await project.iterate(['run', 'task', ...NO_VERIFY, '--quiet']);
    const [run = ''] = project.runs();
    expect(waits.exitCode).toBe(0);
    expect(waits.stderr).toBe(
      '❓ The agent asks: Which database?\n' +
        `   Answer: orchestrate approve ${run} iteration/1/question-1 --choose postgres\n` +
        `   Answer: orchestrate approve ${run} iteration/1/question-1 --choose sqlite\n` +
        '   Then continue: claude-iterate run task\n',
    );
    expect(project.metadata()).toMatchObject({ status: 'in_progress', stopReason: 'waiting' });
    const asked = await project.iterate(['show', 'task']);
    expect(asked.stdout).toContain(
      'Status:         in_progress (waiting for an answer)\nQuestion:       Which database?\n' +
        `Answer:         orchestrate approve ${run} iteration/1/question-1 --choose postgres\n`,
    );
    expect(target.received.map(({ body }) => body)).toEqual([
      'QUESTION FOR YOU ❓\n\nWhich database?\nChoices: postgres, sqlite',
    ]);
    expect(project.log()).toContain('\nQUESTION: Which database?\n');

    const still = await project.run(['iterate', 'run', 'task', '--quiet'], { env: { PATH: project.path } });
    expect(still.exitCode).toBe(3);
    const wrong = await project.run(['approve', run, 'question-1', '--choose', 'oracle']);
    expect(wrong.exitCode).not.toBe(0);
    expect((await project.run(['approve', run, 'question-1', '--choose', 'sqlite'])).exitCode).toBe(0);
    const answered = await project.iterate(['show', 'task']);
    expect(answered.stdout).toContain(
      'Status:         in_progress (answered)\nContinue:       claude-iterate run task\n',
    );
    const ended = await project.iterate(['run', 'task']);
    expect(ended.stderr).not.toContain('The agent asks');
    expect(ended.stdout).toContain('✓ Task completed successfully after 2 iterations');
    expect(project.calls()).toHaveLength(2);
    expect(project.calls()[1]?.prompt).toContain('Question: Which database?\nAnswer: sqlite\n');
    expect(project.metadata()).toMatchObject({ status: 'completed', stopReason: 'complete' });
    expect(project.runs()).toHaveLength(1);
  });

  it('without choices takes any text, and is asked only once', async () => {
    const project = new Project();
    await project.task();
    const ask = status({ complete: false, blockers: [{ question: 'Whom to ask?' }] });
    project.agent({ calls: [ask, ask, status({ complete: true })] });
    await project.iterate(['run', 'task', ...NO_VERIFY]);
    const [run = ''] = project.runs();
    const approved = await project.run(['approve', run, 'question-1', '--choose', 'Ann, in room 4']);
    expect(approved.exitCode).toBe(0);
    const ended = await project.iterate(['run', 'task']);
    expect(ended.stdout).toContain('✓ Task completed successfully after 3 iterations');
    for (const call of project.calls().slice(1)) expect(call.prompt).toContain('Answer: Ann, in room 4\n');
  });

  it('is asked together with the others of its status, and the loop continues when all are answered', async () => {
    const project = new Project();
    await project.task();
    const several = [...blockers, { question: 'Which port?' }, { question: 'Which port?' }];
    project.agent({
      calls: [status({ complete: false, blockers: several }), status({ complete: true })],
    });
    const waits = await project.iterate(['run', 'task', ...NO_VERIFY, '--quiet']);
    const [run = ''] = project.runs();
    const approve = (number: number, choice: string) =>
      `orchestrate approve ${run} iteration/1/question-${number} --choose ${choice}\n`;
    expect(waits.stderr).toBe(
      `❓ The agent asks: Which database?\n   Answer: ${approve(1, 'postgres')}   Answer: ${approve(1, 'sqlite')}` +
        `❓ The agent asks: Which port?\n   Answer: ${approve(2, "'<your answer>'")}` +
        '   Then continue: claude-iterate run task\n',
    );
    expect((await project.run(['approve', run, 'question-2', '--choose', '8080'])).exitCode).toBe(0);
    const still = await project.iterate(['run', 'task', '--quiet']);
    expect(still.stderr).toContain('Which database?');
    expect(still.stderr).not.toContain('Which port?');
    expect(project.calls()).toHaveLength(1);
    expect((await project.run(['approve', run, 'question-1', '--choose', 'sqlite'])).exitCode).toBe(0);
    expect((await project.iterate(['run', 'task'])).exitCode).toBe(0);
    expect(project.calls()[1]?.prompt).toContain(
      'Question: Which database?\nAnswer: sqlite\n\nQuestion: Which port?\nAnswer: 8080\n',
    );
  });

  it('whose choices are shell code is shown with commands that are safe to paste', async () => {
    const project = new Project();
    await project.task();
    const hostile = 'x|touch pwned;$(touch pwned)';
    project.agent({
      calls: [status({ complete: false, blockers: [{ question: '?', choices: [hostile] }] })],
    });
    const { stderr } = await project.iterate(['run', 'task', ...NO_VERIFY, '--quiet']);
    expect(stderr).toContain(` --choose '${hostile}'\n`);
  });
});
