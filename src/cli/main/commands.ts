import type { CommandModule } from '../context.ts';

export interface CommandEntry {
  readonly summary: string;
  readonly group: string;
  load(): Promise<CommandModule>;
}

/** Every command of `orchestrate`, in the order of `--help`. A command's file is read only when it is called. */
export const COMMANDS: { readonly [name: string]: CommandEntry } = {
  run: {
    group: 'Workflows',
    summary: 'run a workflow from its beginning',
    load: () => import('../commands/run.ts'),
  },
  resume: {
    group: 'Workflows',
    summary: 'go on with a run that was stopped, killed or has failed',
    load: () => import('../commands/resume.ts'),
  },
  'run-step': {
    group: 'Workflows',
    summary: 'run one step of a workflow',
    load: () => import('../commands/run-step.ts'),
  },
  watch: {
    group: 'Workflows',
    summary: 'run a workflow again whenever its files change',
    load: () => import('../commands/watch.ts'),
  },
  validate: {
    group: 'Workflows',
    summary: 'check workflow files without running them',
    load: () => import('../commands/validate.ts'),
  },
  schema: {
    group: 'Workflows',
    summary: 'print the JSON Schema of workflow files',
    load: () => import('../commands/schema.ts'),
  },
  runs: {
    group: 'Runs',
    summary: 'list the runs of this workspace',
    load: () => import('../commands/runs.ts'),
  },
  show: {
    group: 'Runs',
    summary: 'show what a run did and where it stands',
    load: () => import('../commands/show.ts'),
  },
  logs: {
    group: 'Runs',
    summary: 'print what the steps of a run printed',
    load: () => import('../commands/logs.ts'),
  },
  report: { group: 'Runs', summary: 'write a report of a run', load: () => import('../commands/report.ts') },
  explain: {
    group: 'Runs',
    summary: 'say why a step ran, was skipped, repeated or answered from the record',
    load: () => import('../commands/explain.ts'),
  },
  approve: {
    group: 'Runs',
    summary: 'answer a question that a run waits for',
    load: () => import('../commands/approve.ts'),
  },
  cancel: { group: 'Runs', summary: 'end a run for good', load: () => import('../commands/cancel.ts') },
  fork: {
    group: 'Runs',
    summary: 'start a new run that shares the beginning of another',
    load: () => import('../commands/fork.ts'),
  },
  clean: { group: 'Runs', summary: 'remove old runs', load: () => import('../commands/clean.ts') },
  iterate: {
    group: 'Programs',
    summary: 'autonomous loops of an agent over one task',
    load: () => import('../commands/iterate.ts'),
  },
  converse: {
    group: 'Programs',
    summary: 'conversations with an agent whose tools are run for it',
    load: () => import('../commands/converse.ts'),
  },
  session: {
    group: 'Sessions',
    summary: 'start, list, switch and complete sessions of planned work',
    load: () => import('../commands/session.ts'),
  },
  task: {
    group: 'Sessions',
    summary: 'make, list, change, divide and check the tasks of a session',
    load: () => import('../commands/task.ts'),
  },
  plan: {
    group: 'Sessions',
    summary: 'turn a request into tasks',
    load: () => import('../commands/plan.ts'),
  },
  execute: {
    group: 'Sessions',
    summary: 'execute the tasks of a session in the order of their dependencies',
    load: () => import('../commands/execute.ts'),
  },
  repair: {
    group: 'Sessions',
    summary: 'mend sessions whose files do not fit together',
    load: () => import('../commands/repair.ts'),
  },
  views: {
    group: 'Sessions',
    summary: 'write the Markdown of a session again from its JSON',
    load: () => import('../commands/views.ts'),
  },
  phases: {
    group: 'Phases',
    summary: 'split a task into phases and keep their state',
    load: () => import('../commands/phases.ts'),
  },
  hook: {
    group: 'Phases',
    summary: 'let Claude Code keep the phases up to date',
    load: () => import('../commands/hook.ts'),
  },
  mcp: {
    group: 'Phases',
    summary: 'serve phases, tasks, queues and runs to agents',
    load: () => import('../commands/mcp.ts'),
  },
  queue: {
    group: 'Files',
    summary: 'put, list, take and finish tasks in agent inboxes',
    load: () => import('../commands/queue.ts'),
  },
  status: {
    group: 'Files',
    summary: 'write, read and check status files of agents',
    load: () => import('../commands/status.ts'),
  },
  init: { group: 'Start', summary: 'make a first workflow here', load: () => import('../commands/init.ts') },
  demo: {
    group: 'Start',
    summary: 'run a multi-agent workflow with the built-in mock agent',
    load: () => import('../commands/demo.ts'),
  },
  doctor: {
    group: 'Start',
    summary: 'check agents, environment and workspace',
    load: () => import('../commands/doctor.ts'),
  },
};
