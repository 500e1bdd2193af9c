/** `--fallback`: another agent takes over when one has reached its usage limit. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { NO_VERIFY, Project, status, TASK } from './rig.ts';

const LATER = Math.ceil(Date.now() / 1000) + 7200;
const limited = {
  events: [{ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: LATER } }],
  error: { api_error_status: 429, total_cost_usd: 0.02 },
  text: "You've hit your limit",
};

/** A command that does one item per call. */
async function withFallback(): Promise<{ readonly project: Project; readonly fallback: string }> {
  const project = new Project();
  await project.task();
  const script = path.join(project.elsewhere, 'other.sh');
  const file = path.join(project.folder, TASK, '.status.json');
  project.write({
    [path.relative(project.folder, script)]: `cat > ${project.elsewhere}/prompt
echo call >> ${project.elsewhere}/others
n=$(grep -c call ${project.elsewhere}/others)
if [ $n -ge 2 ]; then done=true; else done=false; fi
printf '{"complete":%s,"progress":{"completed":%s,"total":2},"summary":"item %s"}' $done $n $n > ${file}
`,
  });
  return { project, fallback: `sh ${script}` };
}

describe('a fallback agent', () => {
  it('takes over at a usage limit, and the limited one is not called again before its reset', async () => {
    const { project, fallback } = await withFallback();
    project.agent({ calls: [limited] });
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '--fallback', fallback]);
    expect(ended.stderr).toContain(`⚠️ \`claude\` hit its usage limit; switching to \`${fallback}\`\n`);
    expect(ended.stdout).toContain('✓ Task completed successfully after 2 iterations\n');
    expect(ended.stdout).toContain('Cost: $0.0200 + 2 calls of unknown cost');
    expect(ended.exitCode).toBe(0);
    expect(project.calls()).toHaveLength(1);
    expect(project.log()).toContain('WARNING: `claude` hit its usage limit; switching to');
    expect(project.state().totals).toMatchObject({ agent_calls: 3, unknown_cost_calls: 2, cost_usd: 0.02 });
  });

  it('is in the command that continues the loop', async () => {
    const { project, fallback } = await withFallback();
    project.agent({ calls: [limited] });
    const ended = await project.iterate(['run', 'task', '--no-verify', '-m', '1', '--fallback', fallback]);
    expect(ended.stdout).toContain(
      `- Continue: claude-iterate run task --max-iterations 1 --fallback '${fallback}'`,
    );
  });

  it('is tried at once if the agent cannot be used, and the last one waits or fails', async () => {
    const { project } = await withFallback();
    project.agent({ calls: [{ error: { api_error_status: 401 }, text: 'Invalid API key' }] });
    await project.iterate(['config', '-w', 'task', 'retry.maxAttempts', '1']);
    const ended = await project.iterate(['run', 'task', ...NO_VERIFY, '--fallback', 'false']);
    expect(ended.stderr).toMatch(
      /⚠️ `claude` failed \(the agent is not signed in[^\n]*; switching to `false`/,
    );
    expect(ended.stderr).toContain('❌ Iteration 1 failed: ');
    expect(ended.exitCode).toBe(1);
  });

  it('verifies too', async () => {
    const { project, fallback } = await withFallback();
    project.agent({
      calls: [status({ complete: true, summary: 'done' })],
      verifications: [limited],
    });
    const ended = await project.iterate(['run', 'task', '--no-delay', '-m', '1', '--fallback', fallback]);
    expect(ended.stderr).toContain(`⚠️ \`claude\` hit its usage limit; switching to \`${fallback}\`\n`);
    expect(project.read(path.relative(project.folder, path.join(project.elsewhere, 'prompt')))).toContain(
      'Verify whether',
    );
  });

  it('has to exist, and to report its cost if the budget is in money', async () => {
    const { project } = await withFallback();
    project.agent({ calls: [limited] });
    const missing = await project.iterate(['run', 'task', '--fallback', 'no-such-agent']);
    expect(missing.stderr).toBe(
      "error: Agent not found. Make sure 'no-such-agent' is installed and in PATH.\n",
    );
    expect(missing.exitCode).toBe(1);
    const unpriced = await project.iterate(['run', 'task', '--fallback', 'true', '--budget-usd', '1']);
    expect(unpriced.stderr).toContain(
      'error: --budget-usd has no effect: the agent `true` does not report its cost\n',
    );
    expect(project.calls()).toEqual([]);
  });

  it('that a project names is asked about before it is started', async () => {
    const { project } = await withFallback();
    project.agent({ calls: [limited] });
    project.write({ '.claude-iterate.json': JSON.stringify({ fallback: ['sh evil.sh'] }) });
    const ended = await project.iterate(['run', 'task']);
    expect(ended.stderr).toContain('  fallback = ["sh evil.sh"]  (.claude-iterate.json; new)\n');
    expect(ended.exitCode).toBe(1);
    expect(project.calls()).toEqual([]);
  });
});
