/** The inputs of effects hold on every machine: none has the path of the workspace of the machine that runs the program. */
import { describe, expect, it } from 'vitest';
import { EFFECT_PLACES } from '../../src/effects/places.ts';
import type { EffectName } from '../../src/model/effect.ts';
import { codeWorkspace, LIST, REVIEW } from '../code/workflows.ts';
import { ask, Talk, text } from '../converse/rig.ts';
import { PASS, Project, status, TASK } from '../iterate/rig.ts';
import { Workspace } from '../rig/orchestrate.ts';
import { commandTask, SessionWorkspace, task } from '../session/rig.ts';

/** The effects that its runs called; none of their inputs has the path. */
function portableEffects(workspace: Workspace): ReadonlySet<string> {
  const effects = new Set<string>();
  for (const runId of workspace.runs()) {
    for (const event of workspace.journal(runId) as readonly { readonly [key: string]: unknown }[]) {
      if (event['type'] !== 'step-started') continue;
      effects.add(String(event['effect']));
      expect(JSON.stringify(event['input']), String(event['key'])).not.toContain(workspace.folder);
    }
  }
  return effects;
}

const TRAVELLING = (Object.keys(EFFECT_PLACES) as readonly EffectName[]).filter(
  (name) => EFFECT_PLACES[name].place === 'worker',
);

describe('the inputs of effects', () => {
  it('of a workflow and of one in code', async () => {
    const workspace = new Workspace({
      'w.yaml': `name: w
providers:
  helper: {adapter: mock}
steps:
  - name: Say
    command: [sh, -c, 'echo said > said']
    expect: {files: [said], command: [test, -e, said]}
  - name: Wait
    wait_for: {glob: said, timeout_sec: 10}
  - name: Ask
    provider: helper
    input_file: said
`,
    });
    expect(await workspace.run(['run', 'w.yaml', '--record'])).toMatchObject({ exitCode: 0 });
    const [recorded = ''] = workspace.runs();
    expect(await workspace.run(['run', 'w.yaml', '--replay', recorded])).toMatchObject({ exitCode: 0 });
    const effects = portableEffects(workspace);
    expect(TRAVELLING.filter((name) => effects.has(name))).toEqual([
      'run-command',
      'run-agent',
      'wait-for-files',
      'check-proof',
    ]);
    const coded = codeWorkspace(REVIEW, LIST);
    expect(await coded.run(['run', 'w.workflow.mjs'])).toMatchObject({ exitCode: 0 });
    expect([...portableEffects(coded)]).toContain('run-agent');
  });

  it('of a loop, with checks and verification; its agent gets the paths of its machine', async () => {
    const project = new Project();
    await project.task();
    project.write({ [`${TASK}/.status-instructions.md`]: 'In {{projectRoot}} and {{workspacePath}}.\n' });
    project.agent({
      calls: [status({ complete: true, progress: { completed: 1, total: 1 }, summary: 'done' })],
      verifications: [{ files: { [`${TASK}/verification-report.md`]: PASS } }],
    });
    const ended = await project.iterate(['run', 'task', '--no-delay', '--check', 'true']);
    expect(ended, ended.stdout + ended.stderr).toMatchObject({ exitCode: 0 });
    expect([...portableEffects(project)]).toEqual(expect.arrayContaining(['run-agent', 'run-command']));
    const [call] = project.calls();
    expect(call?.prompt).toContain(`In ${project.folder} and ${project.folder}/${TASK}.\n`);
    expect(call?.prompt).toContain(`${project.folder}/${TASK}/.status.json`);
    expect(call?.argv.join(' ')).toContain(`The project is in ${project.folder}.`);
    const [verification] = project.calls('verifications');
    expect(verification?.prompt).toContain(`${project.folder}/${TASK}/verification-report.md`);
  });

  it('of the execution of a session', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([commandTask('IMPL-1', 'true'), task('IMPL-2')]);
    const env = workspace.standInClaude();
    await workspace.ok(['execute', '--agent', 'claude'], { env });
    expect([...portableEffects(workspace)]).toEqual(expect.arrayContaining(['run-agent', 'run-command']));
  });

  it('of a conversation', async () => {
    const talk = new Talk({
      says: [[ask('t1', 'read_file', { path: 'a.txt' })], [text('Done.')]],
      files: { 'talk/a.txt': 'alpha\n' },
    });
    expect(await talk.converse(['run', 'talk'])).toMatchObject({ exitCode: 0 });
    expect([...portableEffects(talk)]).toEqual(expect.arrayContaining(['run-agent', 'run-tool']));
    expect(talk.results().results[0]).toMatchObject({ output: 'alpha\n' });
  });
});
