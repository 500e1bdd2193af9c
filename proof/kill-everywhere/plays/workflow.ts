/** Workflows: every kind of step, loops, cycles, branches, approvals, waits, agents. */
import type { Act, Play } from '../play.ts';
import { answers, note, PROPS } from '../props.ts';

const RUN: Act = { name: 'run', argv: ['run', 'w.yaml', '--quiet'] };

const steps: Play = {
  name: 'steps',
  files: {
    ...PROPS,
    'w.yaml': `name: steps
context: {word: given}
steps:
  - ${note('First', '${context.word}')}
  - {name: Flaky, command: [bash, -c, ". .proof/begin.sh; echo $key; was_tried"], retries: {max: 2, delay_ms: 1}}
  - {name: Kept, command: [bash, .proof/note.sh, "\${steps.First.output}"], output_file: out/deep/kept.txt}
  - {name: Not, when: {exists: "nothing-here"}, command: [bash, .proof/note.sh]}
  - {name: Parsed, command: [bash, -c, "bash .proof/note.sh > /dev/null; echo '{\\"a\\": [1, 2]}'"], output_capture: json}
  - ${note('Last', '${steps.Parsed.json.a}')}
finally:
  - ${note('Tidy')}
`,
  },
  acts: [RUN],
};

const loops: Play = {
  name: 'loops',
  files: {
    ...PROPS,
    'inbox/a.task': 'a\n',
    'inbox/b.task': 'b\n',
    'w.yaml': `name: loops
steps:
  - {name: List, command: [bash, -c, "bash .proof/note.sh > /dev/null; printf 'inbox/a.task\\ninbox/b.task\\n'"], output_capture: lines}
  - name: Each
    for_each:
      items_from: steps.List.lines
      on_item_complete: {success: {move_to: done}}
      steps:
        - ${note('Work', '${item}')}
        - ${note('More', '${loop.index} ${steps.Work.output}')}
  - name: Again
    repeat:
      until: {equals: {left: "\${iteration}", right: "2"}}
      delay_sec: 0.01
      steps: [${note('Turn', '${iteration}')}]
  - ${note('Last', '${steps.Turn.output}')}
`,
  },
  acts: [RUN],
};

const cycle: Play = {
  name: 'goto-cycle',
  files: {
    ...PROPS,
    'w.yaml': `name: cycle
steps:
  - {name: Test, command: [bash, -c, "bash .proof/note.sh; [ -e repaired-2 ]"], max_visits: 5, on: {success: {goto: Done}, failure: {goto: Repair}}}
  - {name: Repair, command: [bash, -c, "bash .proof/note.sh; case $ORCHESTRATE_STEP in Repair) touch repaired-1;; *) touch repaired-2;; esac"], on: {success: {goto: Test}}}
  - ${note('Done', '${steps.Repair.output}')}
`,
  },
  acts: [RUN],
};

const branches: Play = {
  name: 'branches',
  files: {
    ...PROPS,
    'w.yaml': `name: branches
steps:
  - name: Both
    parallel:
      branches:
        - {name: left, steps: [${note('L1')}, ${note('L2', '${steps.L1.output}')}]}
        - {name: right, steps: [${note('R1')}, {name: R2, command: [bash, .proof/note.sh], output_file: right.txt}]}
  - name: AtOnce
    for_each: {items: [p, q, r], max_parallel: 3, steps: [${note('Side', '${item}')}]}
  - ${note('Last', '${steps.L2.output}')}
`,
  },
  acts: [RUN],
};

/** What starts next depends on what has ended: a graph, every combination of a matrix, and a loop that is left early. */
const graph: Play = {
  name: 'graph',
  files: {
    ...PROPS,
    'w.yaml': `name: graph
steps:
  - name: Build
    graph:
      max_parallel: 2
      join: all_done
      steps:
        - {name: Ship, needs: [Test, Docs], command: [bash, .proof/note.sh, "\${steps.Test.output}"]}
        - {name: Compile, command: [bash, -c, "bash .proof/note.sh; echo 7 > count"], values: {n: {file: count, type: number}}}
        - {name: Docs, command: [bash, -c, "bash .proof/note.sh; exit 3"], allow_failure: true}
        - {name: Test, needs: [Compile], command: [bash, .proof/note.sh, "\${steps.Compile.values.n}"]}
        - {name: Lint, command: [bash, -c, "bash .proof/note.sh; exit 4"]}
        - {name: Never, needs: [Lint], command: [bash, .proof/note.sh]}
  - name: Cells
    for_each:
      matrix: {os: [linux, mac], node: [20, 22]}
      max_parallel: 2
      steps:
        - ${note('Try', '${matrix.os} ${matrix.node}')}
        - {name: Inner, for_each: {items: [x, y], steps: [${note('Deep', '${loop.outer.index} ${item}')}]}}
  - name: Find
    for_each:
      items: [a, b, c]
      steps:
        - ${note('Look', '${item}')}
        - {name: Found, break: {when: {equals: {left: "\${item}", right: b}}}}
  - ${note('Sum', '${steps.Build.results} ${steps.Cells.results} ${steps.Find.results.2.status}')}
  - {name: Enough, end: {message: "that is all"}}
  - ${note('Unreached')}
finally:
  - ${note('Tidy')}
`,
  },
  acts: [RUN],
};

/** The first that succeeds ends the other, which has begun and would never end. */
const race: Play = {
  name: 'race',
  files: {
    ...PROPS,
    'w.yaml': `name: race
steps:
  - name: Race
    parallel:
      join: any
      branches:
        - {name: slow, steps: [{name: Wait, command: [bash, -c, ". .proof/begin.sh; while :; do sleep 0.05; done"]}, ${note('After')}]}
        - {name: fast, steps: [{name: Win, command: [bash, -c, ". .proof/begin.sh; until grep -q 'begin Race/slow/Wait' .proof/calls; do sleep 0.01; done; echo won"]}]}
  - ${note('Last', '${steps.Race.results}')}
`,
  },
  acts: [RUN],
};

const approval: Play = {
  name: 'approval',
  files: {
    ...PROPS,
    'w.yaml': `name: approval
steps:
  - ${note('Build')}
  - {name: Release, approve: {message: "Ship it?", choices: [ship, hold]}}
  - {name: Ship, when: {equals: {left: "\${steps.Release.output}", right: ship}}, command: [bash, .proof/note.sh, "\${steps.Release.json.comment}"]}
`,
  },
  acts: [
    { ...RUN, exitCode: 3 },
    {
      name: 'approve',
      argv: ['approve', 'last', 'Release', '--choose', 'ship', '--comment', 'after the freeze', '--by', 'me'],
      again: () => [
        'approve',
        'last',
        'Release',
        '--choose',
        'ship',
        '--comment',
        'after the freeze',
        '--by',
        'me',
      ],
      mayRefuse: true,
    },
    { name: 'resume', argv: ['resume', 'last', '--quiet'] },
  ],
};

const waits: Play = {
  name: 'waits',
  files: {
    ...PROPS,
    'w.yaml': `name: waits
steps:
  - name: Both
    parallel:
      branches:
        - name: reader
          steps:
            - {name: Replies, wait_for: {glob: "replies/*.txt", min_count: 2, timeout_sec: 86400}}
            - name: Read
              for_each: {items_from: steps.Replies.files, steps: [${note('One', '${item}')}]}
        - name: writer
          steps:
            - {name: Write, command: [bash, -c, "bash .proof/note.sh; mkdir -p replies; for n in 1 2; do echo $n > replies/.$n; mv replies/.$n replies/$n.txt; done"]}
  - {name: Never, wait_for: {glob: "never/*", timeout_sec: 0.2, poll_ms: 50}, on: {failure: {goto: Gone}}}
  - {name: Here, command: [bash, .proof/note.sh]}
  - ${note('Gone', '${steps.Never.exit_code}')}
`,
  },
  acts: [RUN],
};

const agents: Play = {
  name: 'agents',
  files: {
    ...PROPS,
    ...answers({
      Plan: 'text="the plan"; echo plan > plan.md',
      Judge: `structured='{"verdict":"pass"}'`,
      Busy: `if was_tried; then text="free again"; else text="Overloaded"; failure='"api_error_status":529'; fi`,
    }),
    'p.md': 'Do it.\n',
    'w.yaml': `name: agents
providers:
  actor: {adapter: mock, script: {answer: "You said: {prompt}", files: {notes/today.md: "It rained.\\n"}, cost_usd: 0.02}}
steps:
  - {name: Plan, provider: claude, input_file: p.md, output_file: answer.md, expect: {files: [plan.md]}}
  - {name: Busy, provider: claude, input_file: p.md, retries: {max: 2, delay_ms: 1}}
  - {name: Judge, provider: claude, input_file: p.md, output_capture: json, expect: {json_schema: {type: object, required: [verdict], properties: {verdict: {enum: [pass, fix]}}}}}
  - {name: More, provider: claude, input_file: p.md, continue_from: Plan}
  - {name: Act, provider: actor, input_file: p.md}
  - ${note('Last', '${steps.Judge.json.verdict}')}
`,
  },
  acts: [RUN],
};

const limit: Play = {
  name: 'usage-limit',
  files: {
    ...PROPS,
    ...answers({
      Ask: `if was_tried; then text="after the limit"; else
echo '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1700000000}}'
text="limit reached"
failure='"api_error_status":429'
fi`,
    }),
    'p.md': 'Do it.\n',
    'w.yaml': `name: limit
steps:
  - ${note('First')}
  - {name: Ask, provider: claude, input_file: p.md, retries: {max: 0}}
  - ${note('Last', '${steps.Ask.output}')}
`,
  },
  acts: [RUN],
};

const queue: Play = {
  name: 'queue-and-archive',
  files: {
    ...PROPS,
    'inbox/engineer/one.task': 'one\n',
    'inbox/engineer/two.task': 'two\n',
    'w.yaml': `name: queue
steps:
  - {name: Inbox, command: [bash, -c, "bash .proof/note.sh > /dev/null; printf '%s\\n' inbox/engineer/one.task inbox/engineer/two.task"], output_capture: lines}
  - name: Work
    for_each:
      items_from: steps.Inbox.lines
      as: task
      on_item_failure: continue
      on_item_complete: {success: {move_to: processed/good}, failure: {move_to: failed/bad}}
      steps:
        - {name: Do, provider: mock, input_file: "\${task}", output_file: "artifacts/\${loop.index}.md"}
        - ${note('Check', '${loop.index}')}
`,
  },
  acts: [{ name: 'run', argv: ['run', 'w.yaml', '--quiet', '--archive-processed', 'done.zip'] }],
};

const parts: Play = {
  name: 'calls-and-cache',
  files: {
    ...PROPS,
    'chapter.txt': 'It was a dark night.\n',
    'parts/measure.yaml': `name: measure
context: {file: none}
outputs: {words: "\${steps.Words.output}"}
steps:
  - ${note('Words', '${context.file}')}
`,
    'w.yaml': `name: parts
steps:
  - {name: Measure, call: {workflow: parts/measure.yaml, context: {file: chapter.txt}}}
  - {name: Summary, command: [bash, -c, "bash .proof/note.sh; cat chapter.txt"], output_file: out/summary.txt, cache: {inputs: [chapter.txt]}}
  - ${note('Report', '${steps.Measure.json.words}')}
`,
  },
  acts: [
    { ...RUN, name: 'first' },
    { ...RUN, name: 'second' },
  ],
};

const failing: Play = {
  name: 'failed-and-resumed',
  mayRepeat: /^(?:Door|Tidy)$/,
  mayDiffer: [
    {
      path: /\/logs\/(?:Door|Tidy)\.try[3-9]\.stdout$/,
      why: 'resuming a run that was killed just before recording its failure retries them once more',
    },
  ],
  files: {
    ...PROPS,
    'w.yaml': `name: failing
steps:
  - ${note('Before')}
  - {name: Door, command: [bash, -c, "bash .proof/note.sh; [ -e key ]"]}
  - ${note('After')}
finally:
  - ${note('Tidy')}
`,
  },
  acts: [
    { ...RUN, exitCode: 1 },
    { name: 'key', argv: ['touch', 'key'], isStage: true },
    { name: 'resume', argv: ['resume', 'last', '--quiet'] },
  ],
};

export const WORKFLOW_PLAYS: readonly Play[] = [
  ...[steps, loops, cycle, branches, graph, race, approval, waits],
  ...[agents, limit, queue, parts, failing],
];
