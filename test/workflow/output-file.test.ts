import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

describe('the artifacts of a step', () => {
  it('include outputs that its agent lists in a status file for this run and step', async () => {
    const status = (name: string, run: string, step: string) =>
      `printf '{"schema": "status/v1", "agent": "${name}", "run_id": "%s", "step": "%s", "success": true, "outputs": ["src/a.py", "../up.py", "/abs.py"]}' ${run} ${step} > artifacts/${name}/status.json`;
    const workspace = new Workspace({
      'artifacts/engineer/.keep': '',
      'artifacts/qa/.keep': '',
      'w.yaml': `steps:
  - {name: Build, agent: engineer, command: [bash, -c, ${JSON.stringify(status('engineer', '$ORCHESTRATE_RUN_ID', 'Build'))}], output_file: log.txt}
  - {name: After, agent: engineer, command: ["true"]}
  - {name: Old, agent: qa, command: [bash, -c, ${JSON.stringify(status('qa', '20200101T000000Z-aaaaaa', 'Old'))}]}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Build').artifacts).toEqual(['log.txt', 'src/a.py']);
    expect(workspace.step('After')).not.toHaveProperty('artifacts');
    expect(workspace.step('Old')).not.toHaveProperty('artifacts');
  });
});

describe('`output_file`', () => {
  it('contains the complete output in every capture mode, and is registered as an artifact', async () => {
    const print = `[bash, -c, "echo '['; seq -s, 200000; echo ']'; echo not this >&2"]`;
    const workspace = new Workspace({
      'w.yaml': `steps:
  - {name: Text, command: ${print}, output_file: out/text.json}
  - {name: Lines, command: ${print}, output_file: out/deep/er/lines.json, output_capture: lines}
  - {name: Json, command: ${print}, output_file: out/json.json, output_capture: json, allow_parse_error: true}
  - {name: Silent, command: ["true"], output_file: out/silent.txt}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const whole = workspace.read('out/text.json');
    expect(JSON.parse(whole)).toHaveLength(200_000);
    expect(workspace.read('out/deep/er/lines.json')).toBe(whole);
    expect(workspace.read('out/json.json')).toBe(whole);
    expect(workspace.read('out/silent.txt')).toBe('');
    expect(workspace.step('Text')).toMatchObject({ artifacts: ['out/text.json'], truncated: true });
    expect(workspace.step('Lines')).toMatchObject({ artifacts: ['out/deep/er/lines.json'] });
  });

  it('is replaced by each attempt, keeps the output of a failed step, and is written while the step runs', async () => {
    const workspace = new Workspace({
      'out.txt': 'old and much longer than what comes',
      'w.yaml': `steps:
  - name: X
    command: [bash, -c, "echo first; while ! grep -q first out.txt; do sleep 0.01; done; echo second; exit 1"]
    output_file: out.txt
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    expect(workspace.read('out.txt')).toBe('first\nsecond\n');
  });

  it('must be inside the workspace when it is written, too', async () => {
    const outside = new Workspace({ 'victim.txt': 'untouched' });
    const workspace = new Workspace({
      'w.yaml': `strict_flow: false
context: {up: "../x.txt", away: "${outside.folder}/x.txt"}
steps:
  - {name: Link, command: [ln, -s, "${outside.folder}", door]}
  - {name: Through, command: [echo, x], output_file: door/victim.txt}
  - {name: New, command: [echo, x], output_file: door/made.txt}
  - {name: FileLink, command: [ln, -s, "${outside.folder}/victim.txt", plain.txt]}
  - {name: ThroughFile, command: [echo, x], output_file: plain.txt}
  - {name: Up, command: [echo, x], output_file: "\${context.up}"}
  - {name: Away, command: [echo, x], output_file: "\${context.away}"}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 1 });
    for (const name of ['Through', 'New', 'ThroughFile', 'Up', 'Away']) {
      expect([name, workspace.step(name)]).toMatchObject([
        name,
        { status: 'failed', exit_code: 2, outcome: 'unsafe-path' },
      ]);
    }
    expect(outside.read('victim.txt')).toBe('untouched');
    expect(fs.readdirSync(outside.folder)).toEqual(['victim.txt']);
    expect(fs.existsSync(path.join(workspace.folder, '..', 'x.txt'))).toBe(false);
  });
});
