/** Formats for other programs: `validate --format`, `report --format junit|github`. */
import { spawnSync } from 'node:child_process';
import { Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

const WRONG = `name: Wrong
steps:
  - {name: "A, 100%", command: ["true"]}
  - name: B
    command: [echo, "\${steps.C.output}"]
    prmpt: x
`;

/** What the schema of SARIF 2.1.0 requires of the objects that are used, and their types. */
const LOCATION = {
  type: 'object',
  properties: {
    id: { type: 'integer', minimum: -1 },
    message: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
    physicalLocation: {
      type: 'object',
      required: ['artifactLocation'],
      properties: {
        artifactLocation: {
          type: 'object',
          required: ['uri'],
          properties: { uri: { type: 'string', pattern: "^[A-Za-z0-9._~%!$&'()*+,;=:@/-]+$" } },
        },
        region: {
          type: 'object',
          required: ['startLine', 'startColumn', 'endLine', 'endColumn'],
          additionalProperties: { type: 'integer', minimum: 1 },
        },
      },
    },
  },
} as const;
const SARIF = {
  type: 'object',
  required: ['version', 'runs'],
  properties: {
    version: { const: '2.1.0' },
    $schema: { type: 'string', format: 'uri' },
    runs: {
      type: 'array',
      items: {
        type: 'object',
        required: ['tool', 'results'],
        properties: {
          columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
          tool: {
            type: 'object',
            required: ['driver'],
            properties: {
              driver: {
                type: 'object',
                required: ['name'],
                properties: { rules: { type: 'array', items: { type: 'object', required: ['id'] } } },
              },
            },
          },
          results: {
            type: 'array',
            items: {
              type: 'object',
              required: ['message', 'ruleId', 'ruleIndex', 'level', 'locations'],
              properties: {
                level: { enum: ['none', 'note', 'warning', 'error'] },
                message: LOCATION.properties.message,
                locations: { type: 'array', minItems: 1, items: LOCATION },
                relatedLocations: { type: 'array', items: LOCATION },
              },
            },
          },
        },
      },
    },
  },
};

describe('validate --format', () => {
  it('sarif is a log with every finding at its place', async () => {
    const workspace = new Workspace({
      'w f/ä.yaml': WRONG,
      'ok.yaml': 'name: Ok\nsteps:\n  - {name: A, command: ["true"]}\n',
    });
    const files = ['w f/ä.yaml', 'ok.yaml', 'none.yaml'];
    const { exitCode, stdout, stderr } = await workspace.run(['validate', '--format', 'sarif', ...files]);
    expect([exitCode, stderr]).toEqual([2, '']);
    const log = JSON.parse(stdout);
    expect(new Validator(SARIF as object).validate(log).errors).toEqual([]);
    const [run] = log.runs;
    const json = JSON.parse((await workspace.run(['validate', '--json', ...files])).stdout);
    const diagnostics = json.flatMap((each: { diagnostics: object[] }) => each.diagnostics);
    expect(run.results.map((result: { ruleId: string }) => result.ruleId)).toEqual(
      diagnostics.map((diagnostic: { code: string }) => diagnostic.code),
    );
    for (const { ruleId, ruleIndex } of run.results) expect(run.tool.driver.rules[ruleIndex].id).toBe(ruleId);
    expect(run.results.at(-1).locations).toEqual([
      { physicalLocation: { artifactLocation: { uri: 'none.yaml' } } },
    ]);
    const unknown = run.results.find((each: { ruleId: string }) => each.ruleId === 'workflow/unknown-key');
    expect(unknown.locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: 'w%20f/%C3%A4.yaml' },
      region: { startLine: 6, startColumn: 5, endLine: 6, endColumn: 10 },
    });
    const clean = await workspace.run(['validate', '--format', 'sarif', 'ok.yaml']);
    expect([clean.exitCode, JSON.parse(clean.stdout).runs[0].results]).toEqual([0, []]);
  });

  it('github is one annotation a line, with text that cannot end it', async () => {
    const workspace = new Workspace({ 'a,b.yaml': WRONG });
    const { exitCode, stdout } = await workspace.run(['validate', '--format', 'github', 'a,b.yaml']);
    const lines = stdout.trimEnd().split('\n');
    expect(exitCode).toBe(2);
    for (const line of lines)
      expect(line).toMatch(
        /^::(error|warning) file=a%2Cb\.yaml,line=\d+,col=\d+,endLine=\d+,endColumn=\d+,title=\w+\/[\w-]+::\S/,
      );
    expect(lines.find((line) => line.includes('title=workflow/unknown-key'))).toBe(
      '::error file=a%2Cb.yaml,line=6,col=5,endLine=6,endColumn=10,title=workflow/unknown-key::unknown key `prmpt`%0Adid you mean `prompt`?',
    );
    expect(lines.some((line) => line.includes('A, 100%25'))).toBe(true);
  });

  it('json is what `--json` prints; text is the default', async () => {
    const workspace = new Workspace({ 'w.yaml': WRONG });
    const json = await workspace.run(['validate', '--format', 'json', 'w.yaml']);
    expect(json.stdout).toBe((await workspace.run(['validate', '--json', 'w.yaml'])).stdout);
    const text = await workspace.run(['validate', '--format', 'text', 'w.yaml']);
    expect(text).toEqual(await workspace.run(['validate', 'w.yaml']));
    expect((await workspace.run(['validate', '--json', '--format', 'sarif', 'w.yaml'])).exitCode).toBe(2);
  });
});

const RUN = `name: 'Build & "test"'
steps:
  - {name: Good, command: ["true"]}
  - {name: Off, when: {exists: none}, command: ["true"]}
  - {name: Each, for_each: {items: [a, b], steps: [{name: Work, command: [echo, "\${item}"]}]}}
  - {name: Bad, command: [bash, -c, "printf '\\\\001<oops> & ]]>' >&2; exit 3"]}
  - {name: Later, command: ["true"]}
`;
const hasXmllint = spawnSync('xmllint', ['--version']).status === 0;

describe('report --format', () => {
  it('junit has a test case for each step, with its failure, time and reason', async () => {
    const workspace = new Workspace({ 'w.yaml': RUN });
    await workspace.run(['run', 'w.yaml', '-q']);
    const { exitCode, stdout } = await workspace.run(['report', 'last', '--format', 'junit']);
    expect(exitCode).toBe(0);
    const settled = stdout.replace(/time="[\d.]+"/g, 'time="T"').replaceAll(workspace.runs()[0] ?? '', 'ID');
    expect(
      settled.replace(/timestamp="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"/, 'timestamp="AT"'),
    ).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="Build &amp; &quot;test&quot;" tests="5" failures="1" errors="0" time="T">
  <testsuite name="Build &amp; &quot;test&quot;" tests="5" failures="1" errors="0" skipped="1" time="T" timestamp="AT">
    <properties>
      <property name="run_id" value="ID"/>
      <property name="status" value="failed"/>
    </properties>
    <testcase name="Good" classname="Build &amp; &quot;test&quot;" time="T"/>
    <testcase name="Off" classname="Build &amp; &quot;test&quot;" time="T">
      <skipped message="skipped: \`none\` does not exist"/>
    </testcase>
    <testcase name="Each/0/Work [a]" classname="Build &amp; &quot;test&quot;" time="T"/>
    <testcase name="Each/1/Work [b]" classname="Build &amp; &quot;test&quot;" time="T"/>
    <testcase name="Bad" classname="Build &amp; &quot;test&quot;" time="T">
      <failure type="exit-code" message="the command ended with exit code 3">last lines of stderr:
␁&lt;oops&gt; &amp; ]]&gt;</failure>
    </testcase>
  </testsuite>
</testsuites>
`);
    await workspace.run(['report', 'last', '-o', 'out/../junit.xml']);
    expect(workspace.read('junit.xml')).toBe(stdout);
  });

  it.skipIf(!hasXmllint)('junit is well-formed (needs xmllint)', async () => {
    const workspace = new Workspace({ 'w.yaml': RUN });
    await workspace.run(['run', 'w.yaml', '-q']);
    await workspace.run(['report', 'last', '-o', 'junit.xml']);
    expect(spawnSync('xmllint', ['--noout', 'junit.xml'], { cwd: workspace.folder }).status).toBe(0);
  });

  it('junit does not blame a completed run for a failure that it handled', async () => {
    const workspace = new Workspace({
      'w.yaml':
        'name: W\nsteps:\n  - {name: Try, command: ["false"], on: {failure: {goto: Fix}}}\n  - {name: Fix, command: ["true"]}\n',
    });
    expect((await workspace.run(['run', 'w.yaml', '-q'])).exitCode).toBe(0);
    const { stdout } = await workspace.run(['report', '--format', 'junit']);
    expect(stdout).toContain('tests="2" failures="0" errors="0" skipped="1"');
    expect(stdout).toContain(
      '<skipped message="failed, and the run continued: the command ended with exit code 1"/>',
    );
  });

  it('a failure that `join: all_done` tolerates is an allowed one, also inside the branch', async () => {
    const workspace = new Workspace({
      'w.yaml': `name: both
steps:
  - name: Both
    parallel:
      join: all_done
      branches:
        - {name: bad, steps: [{name: Bad, command: [bash, -c, "exit 3"]}]}
        - {name: good, steps: [{name: Good, command: ["true"]}]}
`,
    });
    expect((await workspace.run(['run', 'w.yaml'])).exitCode).toBe(0);
    const report = async (format: string) =>
      (await workspace.run(['report', 'last', '--format', format])).stdout;
    for (const format of ['md', 'github', 'html']) {
      const text = await report(format);
      expect(text, format).toContain('Allowed failures');
      expect(text, format).not.toMatch(/(?<!Allowed )[Ff]ailures/);
    }
    const { steps } = JSON.parse(await report('json')) as {
      steps: { key: string; failure_allowed?: true }[];
    };
    expect(steps.filter((step) => step.failure_allowed).map(({ key }) => key)).toEqual(['Both/bad/Bad']);
    expect(await report('junit')).toContain('failures="0" errors="0" skipped="1"');
  });

  it('a branch that lost the race of `join: any` is neither an error nor a failure, even if the run fails later', async () => {
    for (const [last, failures] of [
      ['"true"', 0],
      ['"false"', 1],
    ] as const) {
      const workspace = new Workspace({
        'w.yaml': `name: race
steps:
  - name: Race
    parallel:
      join: any
      steps:
        - {name: Slow, command: [sleep, "600"]}
        - {name: Quick, command: ["true"]}
  - {name: Last, command: [${last}]}
`,
      });
      await workspace.run(['run', 'w.yaml']);
      const report = async (format: string) =>
        (await workspace.run(['report', 'last', '--format', format])).stdout;
      const junit = await report('junit');
      expect(junit).toContain(`tests="3" failures="${failures}" errors="0" skipped="1"`);
      expect(junit).toContain('<skipped message="stopped, and the run continued"/>');
      for (const format of ['md', 'github', 'html'])
        expect((await report(format)).includes('Failures')).toBe(failures > 0);
    }
  });

  it('github is a summary, appended to the file that is named and to no other', async () => {
    const workspace = new Workspace({ 'w.yaml': RUN, 'summary.md': '# Before\n' });
    await workspace.run(['run', 'w.yaml', '-q']);
    const env = { GITHUB_STEP_SUMMARY: 'summary.md' };
    const printed = await workspace.run(['report', '--format', 'github'], { env });
    expect(printed.stdout).toMatch(
      /^# ✗ Build \\& "test": failed\n\n5 steps: 3 done, 1 failed, 1 skipped, [\d.]+ m?s\. Run \S+\.\n\n## Failures\n/,
    );
    expect(printed.stdout).toContain('<details>\n\n<summary>Steps</summary>\n\n| Step |');
    expect(workspace.read('summary.md')).toBe('# Before\n');
    for (const _ of [1, 2])
      await workspace.run(['report', '--format', 'github', '-o', 'summary.md'], { env });
    expect(workspace.read('summary.md')).toBe(`# Before\n${printed.stdout}${printed.stdout}`);
  });
});
