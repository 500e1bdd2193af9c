/** Graphs, races, `break` and `end` survive a kill at any moment. */
import { it } from 'vitest';
import { killedAtEveryLine, note } from './killing.ts';

/** Runs until it is stopped. Its count may differ: it may be killed before it counts. */
const endless = (name: string) => `{name: ${name}, command: [sleep, "1000"]}`;
/** Succeeds once the endless step of its race has started. */
const afterStart = (name: string, other: string) =>
  `{name: ${name}, command: [bash, -c, "while ! grep -q '\\"${other}\\".*run-command' .orchestrate/runs/*/journal.jsonl; do sleep 0.01; done; bash note.sh"]}`;

const GRAPH = `steps:
  - name: All
    graph:
      max_parallel: 2
      steps:
        - {name: Build, command: [bash, note.sh]}
        - {name: Lint, command: [bash, -c, "bash note.sh; exit 1"], allow_failure: true}
        - {name: Test, needs: [Build], command: [bash, note.sh, "\${steps.Build.output}"]}
        - name: Each
          needs: [Lint]
          for_each: {items: [a, b], steps: [${note('Use', '${item}')}]}
        - {name: Ship, needs: [Test, Each], command: [bash, note.sh, "\${steps.Each.results.1.output}"]}
  - ${note('Last', '${steps.All.results.Test.output}')}
`;

const RACE = `steps:
  - name: Race
    parallel:
      join: any
      branches:
        - {name: slow, steps: [${note('Prepare')}, ${endless('Slow')}, ${note('Never')}]}
        - {name: fast, steps: [${afterStart('Fast', 'Race/slow/Slow')}]}
  - name: Each
    for_each:
      items: [a, b, c]
      max_parallel: 2
      steps:
        - ${note('Try', '${item}')}
        - {name: Enough, break: {when: {not_equals: {left: "\${item}", right: c}}}}
  - ${note('Last', '${steps.Race.results.slow.status}')}
`;

const END = `steps:
  - name: Both
    parallel:
      branches:
        - {name: slow, steps: [${endless('Slow')}]}
        - name: ends
          steps:
            - ${afterStart('First', 'Both/slow/Slow')}
            - {name: Stop, end: {message: "nothing to do"}}
  - ${note('Never')}
finally:
  - ${note('Tidy')}
`;

it.each([
  ['a graph', GRAPH],
  ['a race and a loop with `break`', RACE],
  ['a workflow with `end`', END],
])(
  '%s, killed at any line of its journal, is resumed to the same end',
  { timeout: 240_000 },
  async (_, yaml) => {
    await killedAtEveryLine(yaml);
  },
);
