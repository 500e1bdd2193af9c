import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { startedSteps } from './runs.ts';

describe('`--dry-run`', () => {
  it('shows commands instead of running them, uses the mock agent, and does not change the workspace', async () => {
    const files = {
      'p.md': 'Think.\nHard.\n',
      'inbox/a.task': 'task a',
      'processed/old/b.task': 'task b',
      'inner.yaml': 'steps:\n  - {name: In, command: [touch, made-4]}\n',
      'w.yaml': `context: {name: it's}
providers:
  p: {command: [touch, made-1, "\${PROMPT}"]}
steps:
  - {name: Prepare, command: [bash, -c, "echo prompt > made-2"], output_capture: lines}
  - {name: Show, command: [echo, "a b", "\${context.name}", "\${steps.Prepare.lines}"], output_file: out.txt, depends_on: {required: ["made-2"]}}
  - {name: Ask, provider: p, input_file: p.md, output_file: answer.md, expect: {files: [nothing.md]}, cache: {}}
  - {name: AskLater, provider: p, input_file: made-2, depends_on: {required: ["made-*"], inject: true}}
  - {name: When, command: [touch, made-3], when: {equals: {left: "\${steps.Prepare.exit_code}", right: "7"}}}
  - {name: Wait, wait_for: {glob: "never/*"}}
  - {name: Loop, for_each: {items: [inbox/a.task], on_item_complete: {success: {move_to: done}}, steps: [{name: Work, command: [rm, "\${item}"]}]}}
  - {name: Over, for_each: {items_from: steps.Prepare.lines, steps: [{name: None, command: [rm, "\${item}"]}]}}
  - {name: Call, call: {workflow: inner.yaml}}
  - {name: Sure, approve: {message: "Sure?"}}
`,
    };
    const workspace = new Workspace(files);
    const ended = await workspace.run(
      ['run', 'w.yaml', '--dry-run', '--clean-processed', '--archive-processed'],
      { env: { HOME: temporaryFolder() } },
    );
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(workspace.list('').filter((name) => !name.startsWith('.orchestrate'))).toEqual(
      ['inbox', 'processed', 'processed/old', ...Object.keys(files)].sort(),
    );
    expect(startedSteps(workspace)).toEqual(['Ask', 'AskLater']);
    const decided = (name: string) => workspace.step(name).decisions;
    expect(decided('Prepare')).toEqual(["dry run: would run bash -c 'echo prompt > made-2'"]);
    expect(decided('Show')).toEqual([`dry run: would run echo 'a b' 'it'\\''s' '\${steps.Prepare.lines}'`]);
    expect(workspace.step('Show').status).toBe('skipped');
    expect(workspace.step('Ask')).toMatchObject({
      status: 'completed',
      output: 'This is the mock agent. I was asked: Think.',
    });
    expect(workspace.step('AskLater').output).toContain('`made-2` does not exist yet');
    expect(decided('Wait')).toEqual(['dry run: would wait for `never/*`']);
    expect(decided('Sure')).toEqual(['dry run: would ask `Sure?`']);
    expect(workspace.iterations('Loop')[0]?.['Work']?.decisions).toEqual([
      'dry run: would run rm inbox/a.task',
    ]);
    expect(workspace.step('Call').steps?.['In']).toMatchObject({ status: 'skipped' });
    expect(ended.stderr).toContain('would run rm inbox/a.task');
    expect(fs.existsSync(path.join(workspace.folder, '.orchestrate', 'cache'))).toBe(false);
  });
});
