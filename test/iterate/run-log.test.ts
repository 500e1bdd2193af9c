import { describe, expect, it } from 'vitest';
import { until } from '../rig/orchestrate.ts';
import { NO_VERIFY, Project, status, TASK } from './rig.ts';

describe('claude-iterate run: the log', () => {
  it('contains static content once and a block per iteration', async () => {
    const project = new Project();
    await project.task();
    project.write({ [`${TASK}/.status-instructions.md`]: 'Be short.\n' });
    project.agent({
      calls: [
        status({ complete: false, progress: { completed: 1, total: 2 } }, { text: 'first' }),
        status({ complete: true, progress: { completed: 2, total: 2 } }, { text: 'second' }),
      ],
    });
    await project.iterate(['run', 'task', ...NO_VERIFY, '-m', '7']);
    const [name] = project.list(TASK).filter((each) => each.endsWith('.log'));
    expect(name).toMatch(/^iterate-\d{8}-\d{6}\.log$/);
    const rule = '='.repeat(80);
    const log = project
      .log()
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
      .replace(/(SYSTEM PROMPT\n=+\n)[\s\S]*?\n\n=/, '$1[system prompt]\n\n=');
    expect(log).toBe(`${rule}
CLAUDE ITERATE - EXECUTION LOG
Started: TIME
${rule}

${rule}
RUN METADATA
${rule}
Workspace: task
Mode: loop
Max Iterations: 7
Start Time: TIME

${rule}
INSTRUCTIONS
${rule}
Complete the task.

${rule}
SYSTEM PROMPT
${rule}
[system prompt]

${rule}
STATUS INSTRUCTIONS
${rule}
Be short.

${rule}
ITERATION 1
Started: TIME
${rule}

CLAUDE OUTPUT:
first

STATUS: success
Completed: TIME
Remaining: 1

${rule}
ITERATION 2
Started: TIME
${rule}

CLAUDE OUTPUT:
second

STATUS: success
Completed: TIME
Remaining: 0

${rule}
EXECUTION SUMMARY
Ended: TIME
${rule}
Status: completed
Stop Reason: complete
Iterations: 2
Total Iterations: 2
Execution Iterations: 2
`);
  });
});

describe('claude-iterate run: the log of a running iteration', () => {
  it('is flushed as soon as 10 KB are buffered', async () => {
    const project = new Project();
    await project.task();
    const said = (text: string) => ({
      type: 'assistant',
      message: { id: 'm', content: [{ type: 'text', text }] },
    });
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index} ${'x'.repeat(40)}`);
    project.agent({
      calls: [{ ...status({ complete: true }), events: [said(lines.join('\n'))], waitFor: 'go' }],
    });
    const started = project.begin(['run', 'task', ...NO_VERIFY]);
    await until(() => project.log().includes('line 299 '));
    expect(project.log()).not.toContain('STATUS:');
    project.allow('go');
    expect((await started.ended).exitCode).toBe(0);
    expect(project.log()).toContain('STATUS: success\n');
  });
});
