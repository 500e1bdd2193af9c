/** Commands of a user, and the file names that the program writes for them. */
import type { CallOptions, Site } from '../site/site.ts';

export interface Command extends CallOptions {
  readonly argv: readonly string[];
}

export interface Scene {
  readonly name: string;
  prepare(site: Site): Promise<void>;
  readonly commands: readonly Command[];
  /** Names that the program uses; each is tried alone, as a file, a link and a folder. */
  readonly places: readonly string[];
  /** Names that it must not mistake for its own; all of them are present at once. */
  readonly others: readonly string[];
  /** Files of another tool that it can read but not use. */
  readonly untouched?: readonly string[];
}

/** Names like those of temporary files, locks, tickets, spools. */
const ALIKE = [
  ...['notes.md', 'notes.tmp', '.notes.tmp', '.state.json.~mine.tmp', 'Cargo.lock', '.lock.takeover.mine'],
  ...['.spool-mine', '.incoming-mail', 'notes.kept-1', 'old.corrupted'],
];

function alikeIn(...folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) => ALIKE.map((name) => `${folder}/${name}`));
}

function words(...lines: readonly string[]): readonly Command[] {
  return lines.map((line) => ({ argv: line.split(' ') }));
}

const WORK = '.workflow/WFS-work';
const RUN = { implementation_approach: [{ step: 1, title: 'do it', command: 'true' }] };
const LOOK = [{ step: 'look', action: 'look', command: 'bash(true)' }];
const TASKS = [
  { id: 'IMPL-1', title: 'Done with summary', flow_control: RUN },
  { id: 'IMPL-2', title: 'Done by hand', flow_control: RUN },
  { id: 'IMPL-3', title: 'Still open', flow_control: { ...RUN, pre_analysis: LOOK } },
];

const session: Scene = {
  name: 'session',
  async prepare(site) {
    site.write({
      'tasks.json': JSON.stringify({ tasks: TASKS }),
      'more.json': '{"tasks": [{"title": "More"}]}',
    });
    await site.ok(['session', 'start', 'Work']);
    await site.ok(['plan', '--from', 'tasks.json']);
    for (const id of ['IMPL-1', 'IMPL-2']) {
      const file = `${WORK}/.task/${id}.json`;
      const told = id === 'IMPL-1' ? { summary: { approach: 'as planned' } } : {};
      site.write({
        [file]: JSON.stringify({ ...JSON.parse(site.read(file)), status: 'completed', ...told }),
      });
    }
  },
  commands: words(
    ...['views', 'repair', 'task update IMPL-3 --title Other', 'task create --title New', 'views --json'],
    ...['plan --from more.json', 'execute IMPL-3 --agent mock', 'repair --json', 'session pause'],
    ...['session resume WFS-work', 'session start Other', 'session complete WFS-work --force'],
  ),
  places: [
    ...[`${WORK}/IMPL_PLAN.md`, `${WORK}/TODO_LIST.md`, `${WORK}/.task-index.json`, `${WORK}/.lock`],
    ...[`${WORK}/.summaries/IMPL-1-summary.md`, `${WORK}/.summaries/IMPL-2-summary.md`],
    ...[
      `${WORK}/.summaries/IMPL-3-summary.md`,
      `${WORK}/.chat/analysis-IMPL-3.md`,
      `${WORK}/.written.sha256`,
    ],
    ...[`${WORK}/.task/IMPL-3.json.lock`, `${WORK}/.task/IMPL-4.json`, `${WORK}/.task/.adding`],
    ...[
      '.workflow/.lock',
      '.workflow/.active-WFS-mine',
      '.workflow/archives/WFS-work',
      '.workflow/WFS-other',
    ],
    ...['.workflow/archives/manifest.json', `${WORK}/.summaries`, `${WORK}/.chat`],
  ],
  others: [
    ...alikeIn('.workflow', WORK, `${WORK}/.task`, `${WORK}/.summaries`, `${WORK}/.chat`),
    ...[
      `${WORK}/.summaries/IMPL-2.md`,
      `${WORK}/.summaries/IMPL-1-summary.md.kept-1`,
      `${WORK}/.process/a.json`,
    ],
    ...[`${WORK}/.brainstorming/role.md`, `${WORK}/workflow-session.json.corrupted`],
  ],
};

const OLD = '.workflow/WFS-old';
const OLD_SESSION = {
  ...{ session_id: 'WFS-old', project: 'Rebuild the login', type: 'workflow', status: 'active' },
  ...{ created_at: '2025-10-01T08:00:00Z', execution_context: { strategy: 'sequential' } },
};

/** A session as written by the original tool of this layout: it cannot be opened, and no byte of it is changed. */
const original: Scene = {
  name: 'original-session',
  async prepare(site) {
    site.write({
      '.workflow/.active-WFS-old': '',
      [`${OLD}/workflow-session.json`]: JSON.stringify(OLD_SESSION, null, 4),
      [`${OLD}/.task/IMPL-001.json`]: '{"id": "IMPL-001", "title": "Login", "status": "completed"}',
      [`${OLD}/.task/IMPL-001.1.json`]: '{"id": "IMPL-001.1", "title": "Part", "status": "pending"}',
    });
  },
  untouched: ['workflow-session.json', '.task/IMPL-001.json', '.task/IMPL-001.1.json'].map(
    (name) => `${OLD}/${name}`,
  ),
  commands: words(
    ...['views', 'repair', 'repair --json', 'task update IMPL-001 --title Other', 'task create --title New'],
    ...['execute --agent mock', 'session complete --force', 'session list', 'session start Other', 'repair'],
  ),
  places: [],
  others: [
    ...['IMPL_PLAN.md', 'TODO_LIST.md', '.summaries/IMPL-001-summary.md', '.summaries/IMPL-001.1-summary.md'],
    ...['.summaries/IMPL-001.md', '.chat/analysis-IMPL-001.md', '.process/context-package.json'],
    ...['.task/IMPL-001.txt', '.brainstorming/synthesis.md'],
  ].map((name) => `${OLD}/${name}`),
};

const TODO = {
  ...{
    hook_event_name: 'PostToolUse',
    session_id: 's',
    transcript_path: '/nowhere.jsonl',
    tool_name: 'TodoWrite',
  },
  tool_input: { todos: [{ content: 'First', status: 'pending' }] },
};

const PHASES: Omit<Scene, 'name' | 'prepare'> = {
  commands: [
    ...words('phases create Write --phase First --phase Second', 'phases start'),
    { argv: ['hook', 'post-tool-use'], stdin: JSON.stringify(TODO) },
    ...words(
      'phases complete phase_0',
      'hook install --command orchestrate',
      'hook uninstall',
      'phases complete phase_1',
      'phases archive',
    ),
  ],
  places: [
    ...['workflow_state_system.md', 'state/todos.json', 'state/session.json', 'state/hook-install.json'],
    ...[
      'state/workflow-history.jsonl',
      'state/hook.log',
      'state/workflow.json.lock',
      'state/.written.sha256',
    ],
    ...['state/archive', 'state/workflow.json'],
  ].map((name) => `.claude/${name}`),
  others: alikeIn('.claude', '.claude/state', '.claude/state/archive'),
};

const phases: Scene = { name: 'phases', ...PHASES, async prepare() {} };
const begun: Scene = {
  name: 'phases-begun',
  ...PHASES,
  async prepare(site) {
    await site.ok(['phases', 'create', 'Write', '--phase', 'First', '--phase', 'Second']);
  },
};

const TASK = 'claude-iterate/workspaces/task';

const iterate: Scene = {
  name: 'iterate',
  async prepare(site) {
    await site.ok(['iterate', 'init', 'task']);
    site.write({ [`${TASK}/INSTRUCTIONS.md`]: 'Do it.\n', 'new.md': 'Do it otherwise.\n' });
  },
  commands: words(
    ...[
      'iterate run task --dry-run --no-delay',
      'iterate verify task --dry-run',
      'iterate validate task --dry-run',
    ],
    ...['iterate verify task --dry-run', 'iterate setup task --from new.md', 'iterate reset task'],
    ...['iterate template save task mine', 'iterate archive save task --keep'],
  ),
  places: [
    ...['verification-report.md', 'validation-report.md', 'INSTRUCTIONS.md', '.lock', '.metadata.json.lock'],
    ...['.written.sha256', 'working'],
  ]
    .map((name) => `${TASK}/${name}`)
    .concat(['claude-iterate/templates/mine', 'claude-iterate/archive']),
  others: alikeIn(TASK, `${TASK}/working`, 'claude-iterate/workspaces', 'claude-iterate/archive'),
};

const converse: Scene = {
  name: 'converse',
  async prepare(site) {
    await site.ok(['converse', 'init', 'talk', '--template', 'mock']);
  },
  commands: words(
    ...[
      'converse run talk --session one -q',
      'converse run talk --session two -q',
      'converse archive talk --session one',
    ],
    ...[
      'converse clean talk --session two --force',
      'converse restore talk/archive/one.tar.gz',
      'converse init talk',
    ],
  ),
  places: [
    ...[
      'prompts/iteration_001.txt',
      'responses/iteration_001.json',
      'state/message_history.jsonl',
      'prompts',
    ],
    ...[
      'state/tool_results.json',
      'state/claim.lock',
      'state/one.lock',
      'state/one.json',
      'archive/one.tar.gz',
    ],
    ...['sessions/two/prompts/iteration_001.txt', 'sessions/two', 'sessions/one'],
  ].map((name) => `talk/${name}`),
  others: alikeIn(
    'talk',
    'talk/state',
    'talk/prompts',
    'talk/sessions',
    'talk/sessions/two',
    'talk/sessions/two/state',
  ),
};

const FLOW = `name: flow
steps:
  - name: Each
    for_each: {items: [from/a.txt, from/b.txt], on_item_complete: {success: {move_to: processed/done}}, steps: [{name: Go, command: ["true"]}]}
  - {name: Sure, approve: {message: "Continue?", choices: [yes, no]}}
`;

const workflow: Scene = {
  name: 'workflow',
  async prepare(site) {
    site.write({ 'flow.yaml': FLOW, 'from/a.txt': 'a', 'from/b.txt': 'b', 'task.md': 'Fix it.\n' });
    await site.ok(['queue', 'put', 'eng', '--file', 'task.md']);
  },
  commands: words(
    ...[
      'run flow.yaml --archive-processed out.zip',
      'approve last Sure --choose yes',
      'resume last',
      'queue take eng',
    ],
    ...[
      'queue put eng --file task.md',
      'status write --agent qa --step Test --success true',
      'report last --format md',
    ],
    ...['init', 'clean --force --older-than 0m'],
  ),
  places: [
    ...['out.zip', 'artifacts/qa/status.json', 'processed/done/a.txt', 'processed/done/a-2.txt', 'workflows'],
    ...['processed/done', 'inbox/eng/.taken', 'artifacts/qa'],
  ],
  others: alikeIn(
    '.orchestrate',
    '.orchestrate/runs',
    'inbox/eng',
    'processed',
    'processed/done',
    'artifacts/qa',
  ),
};

export const SCENES: readonly Scene[] = [session, original, phases, begun, iterate, converse, workflow];
