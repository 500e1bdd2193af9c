/** The other four programs, each as it is used: a loop until done, a session of tasks, a conversation, phases and hooks. */
import type { Act, Play, Stage } from '../play.ts';
import { answers, PROPS } from '../props.ts';

const TASK = 'claude-iterate/workspaces/task';

/** Each iteration completes one more item; the key says which one it is. */
const WORKER = `case "$key" in verification/*) printf '# Report\\n\\n✅ VERIFIED COMPLETE\\n\\n## Summary\\n\\nAll there.\\n' > ${TASK}/verification-report.md; text='✅ VERIFIED COMPLETE';; *)
n=$(printf '%s' "$key" | tr -dc 0-9)
[ "$n" -ge 3 ] && complete=true || complete=false
printf '{"complete": %s, "progress": {"completed": %s, "total": 3}, "summary": "%s done"}' "$complete" "$n" "$n" > .status.new
mv .status.new ${TASK}/.status.json;;
esac
`;

const iterateAgain: Pick<Act, 'program'> = { program: 'claude-iterate' };

function same(argv: readonly string[]): (stage: Stage) => readonly string[] {
  return () => argv;
}

const RUN_TASK = ['run', 'task', '--no-delay', '--quiet'];

const iterate: Play = {
  name: 'iterate',
  files: { ...PROPS, ...answers({ any: WORKER }) },
  acts: [
    { name: 'init', argv: ['init', 'task'], ...iterateAgain, prepares: true },
    {
      name: 'instructions',
      argv: ['sh', '-c', `echo 'Do the work.' > ${TASK}/INSTRUCTIONS.md`],
      isStage: true,
    },
    { name: 'run', argv: RUN_TASK, ...iterateAgain, again: same(RUN_TASK) },
  ],
};

const archive: Play = {
  name: 'iterate-archive',
  files: PROPS,
  acts: [
    { name: 'init', argv: ['init', 'task'], ...iterateAgain, again: same(['init', 'task']), mayRefuse: true },
    {
      name: 'save',
      argv: ['archive', 'save', 'task'],
      ...iterateAgain,
      again: same(['archive', 'save', 'task']),
      mayRefuse: true,
    },
  ],
};

const EXECUTE = ['execute', '--max-parallel', '2', '--quiet'];

const session: Play = {
  name: 'session',
  files: {
    ...PROPS,
    ...answers({
      any: `structured='{"approach":"did it","files_modified":[],"key_decisions":[],"shared_context":{},"integration_points":[],"verification":[],"notes":""}'; echo page > page.txt`,
    }),
    'tasks.json': JSON.stringify({
      overview: 'Two greetings, and a page that shows both.',
      tasks: [
        { id: 'IMPL-1', title: 'Write the greetings', meta: { type: 'feature' } },
        greeting('IMPL-1.1', 'en', 'Hello'),
        greeting('IMPL-1.2', 'fr', 'Bonjour'),
        {
          ...{ id: 'IMPL-2', title: 'Put them on a page' },
          context: { depends_on: ['IMPL-1'], focus_paths: ['page.txt'], acceptance: ['It is friendly'] },
          flow_control: {
            pre_analysis: [
              {
                ...{ step: 'read', action: 'Read them', output_to: 'greetings', on_error: 'fail' },
                command: 'bash(bash .proof/note.sh > /dev/null; cat greetings/*.txt)',
              },
            ],
          },
        },
      ],
    }),
  },
  acts: [
    {
      name: 'start',
      argv: ['session', 'start', 'Greetings'],
      again: ({ has }) =>
        has('.workflow/WFS-greetings/workflow-session.json')
          ? ['session', 'switch', 'WFS-greetings']
          : ['session', 'start', 'Greetings'],
      mayRefuse: true,
    },
    {
      name: 'plan',
      argv: ['plan', '--from', 'tasks.json'],
      again: same(['plan', '--from', 'tasks.json']),
      mayRefuse: true,
    },
    { name: 'execute', argv: EXECUTE, again: same(EXECUTE), mayAsk: true },
    {
      name: 'complete',
      argv: ['session', 'complete'],
      again: same(['session', 'complete', 'WFS-greetings']),
      mayRefuse: true,
    },
  ],
};

function greeting(id: string, language: string, word: string): object {
  return {
    ...{ id, title: `Greet in ${language}` },
    context: {
      parent: 'IMPL-1',
      focus_paths: [`greetings/${language}.txt`],
      acceptance: [`command: grep -q ${word} greetings/${language}.txt`],
    },
    flow_control: {
      implementation_approach: [
        {
          ...{ step: 1, title: 'Write it' },
          command: `bash .proof/note.sh && mkdir -p greetings && echo ${word} > greetings/${language}.txt`,
        },
      ],
    },
  };
}

const TALK = ['converse', 'run', 'talk', '--session', 'mine', '-q', '--trust'];

const converse: Play = {
  name: 'converse',
  files: {
    ...PROPS,
    'talk/config/workflow.yaml': JSON.stringify({
      task: 'Do it',
      max_iterations: 5,
      agent: {
        name: 'mock',
        script: {
          cases: [
            said(1, [
              { type: 'text', text: 'Two at once.' },
              { type: 'tool_use', id: 'toolu_1', name: 'note', input: { word: 'one' } },
              { type: 'tool_use', id: 'toolu_2', name: 'note', input: { word: 'two' } },
              {
                type: 'tool_use',
                id: 'toolu_3',
                name: 'write_file',
                input: { path: 'report.md', content: 'all' },
              },
            ]),
            said(2, [{ type: 'text', text: 'Done.' }]),
          ],
        },
      },
    }),
    'talk/config/tools.yaml': JSON.stringify({
      tools: [
        { name: 'write_file', builtin: 'write_file' },
        {
          name: 'note',
          command: ['bash', '../.proof/note.sh', '{{input.word}}'],
          input_schema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
          parallel_safe: true,
        },
      ],
    }),
  },
  acts: [
    {
      name: 'run',
      argv: TALK,
      again: ({ has }) => (has('talk/state/mine.json') ? ['converse', 'resume', 'talk', '-q'] : TALK),
    },
    {
      name: 'archive',
      argv: ['converse', 'archive', 'talk'],
      again: same(['converse', 'archive', 'talk']),
      mayRefuse: true,
    },
  ],
};

function said(iteration: number, content: readonly object[]): object {
  return { prompt: `This is iteration ${iteration} of`, structured: { content } };
}

const CREATE = [
  'phases',
  'create',
  'Write a calculator',
  '--phase',
  'Module::engineer',
  '--phase',
  'Tests::tester',
  '--quiet',
];
const RUN_PHASES = ['phases', 'run', '--agent', 'bash .proof/worker.sh', '--retries', '0', '--quiet'];

const phases: Play = {
  name: 'phases',
  files: {
    ...PROPS,
    '.proof/worker.sh': `. "$HOME/.proof/begin.sh"
prompt=$(cat)
phase=$(printf '%s' "$prompt" | sed -n 's/^Phase ID: //p')
# Who starts it may be killed before it has sent the whole prompt.
[ -n "$phase" ] || exit 1
echo "$phase" > "$phase.txt"
. "$HOME/.proof/end.sh"
echo '{"status":"completed","deliverables":["'"$phase"'.txt"],"context_for_next":"after '"$phase"'","error":""}'
`,
  },
  acts: [
    { name: 'create', argv: CREATE, again: same(CREATE), mayRefuse: true },
    { name: 'run', argv: RUN_PHASES },
    {
      name: 'archive',
      argv: ['phases', 'archive'],
      again: same(['phases', 'archive']),
      mayRefuse: true,
    },
  ],
};

function hookEvent(event: object): string {
  return JSON.stringify({
    ...{ session_id: 's1', transcript_path: '{folder}/no-transcript.jsonl', cwd: '{folder}' },
    ...event,
  });
}

const TODOS = [{ content: 'Write it', status: 'in_progress', activeForm: 'Writing it' }];

/** The start and end of an agent call for a phase. */
function callFor(phase: number) {
  return {
    tool_name: 'Agent',
    tool_use_id: `toolu_${phase}`,
    tool_input: { prompt: `Phase ID: phase_${phase}` },
  };
}

function endOf(phase: number): string {
  const content = [{ type: 'text', text: `DONE|${phase}.txt` }];
  return hookEvent({
    ...{ hook_event_name: 'PostToolUse', ...callFor(phase) },
    tool_response: { status: 'completed', agentId: `a${phase}`, content },
  });
}

const AFTER_TOOL = ['hook', 'post-tool-use'];

const hooks: Play = {
  name: 'hooks',
  files: PROPS,
  acts: [
    { name: 'create', argv: CREATE, prepares: true },
    {
      name: 'todos',
      argv: AFTER_TOOL,
      stdin: hookEvent({
        hook_event_name: 'PostToolUse',
        tool_name: 'TodoWrite',
        tool_use_id: 't2',
        tool_input: { todos: TODOS },
      }),
      again: same(AFTER_TOOL),
    },
    {
      name: 'before',
      argv: ['hook', 'pre-tool-use'],
      stdin: hookEvent({ hook_event_name: 'PreToolUse', ...callFor(0) }),
      // A hook is not called again: the next one makes up for it, together with its own change.
      again: same(['--version']),
    },
    { name: 'after', argv: AFTER_TOOL, stdin: endOf(0), again: same(AFTER_TOOL) },
    { name: 'last', argv: AFTER_TOOL, stdin: endOf(1), again: same(AFTER_TOOL) },
  ],
};

export const PROGRAM_PLAYS: readonly Play[] = [iterate, archive, session, converse, phases, hooks];
