import type { CommandTable } from '../context.ts';
import { MARKS } from '../marks.ts';

/** Every command of `orchestrate`, in the order of `--help`. A command's file is read only when it is called. */
export const COMMANDS: CommandTable = {
  run: {
    group: 'Workflows',
    summary: 'run a workflow',
    load: () => import('../commands/run.ts'),
  },
  resume: {
    group: 'Workflows',
    summary: 'resume a run that was stopped, killed or failed',
    load: () => import('../commands/resume.ts'),
  },
  'run-step': {
    group: 'Workflows',
    summary: 'run one step of a workflow',
    load: () => import('../commands/run-step.ts'),
  },
  watch: {
    group: 'Workflows',
    summary: 'run a workflow whenever its files change',
    load: () => import('../commands/watch.ts'),
  },
  validate: {
    group: 'Workflows',
    summary: 'check workflow files without running them',
    load: () => import('../commands/validate.ts'),
  },
  check: {
    group: 'Workflows',
    summary: 'check that a workflow in code still fits the runs it made',
    load: () => import('../commands/check.ts'),
  },
  inputs: {
    group: 'Workflows',
    summary: 'print the description and the inputs of a workflow',
    load: () => import('../commands/inputs.ts'),
  },
  schema: {
    group: 'Workflows',
    marks: MARKS.none,
    summary: 'print the JSON Schema of workflow files',
    load: () => import('../commands/schema.ts'),
  },
  keep: {
    group: 'Runs',
    summary: 'resume runs that died, and start scheduled and queued ones',
    load: () => import('../commands/keep.ts'),
  },
  schedule: {
    group: 'Runs',
    summary: 'list, pause and resume schedules; show the queue of runs',
    load: () => import('../commands/schedule.ts'),
  },
  worker: {
    group: 'Runs',
    summary: 'carry out runs and steps that are started with --engine',
    load: () => import('../commands/worker.ts'),
  },
  workers: {
    group: 'Runs',
    summary: 'list the workers, what they take and what they do',
    load: () => import('../commands/workers.ts'),
  },
  pull: {
    group: 'Runs',
    summary: 'bring the files of a run of workers here, as a branch',
    load: () => import('../commands/pull.ts'),
  },
  warden: {
    group: 'Runs',
    isHidden: true,
    marks: MARKS.none,
    summary: 'end what a worker left running',
    load: () => import('../commands/warden.ts'),
  },
  runs: {
    group: 'Runs',
    summary: 'list the runs of this workspace',
    load: () => import('../commands/runs.ts'),
  },
  show: {
    group: 'Runs',
    summary: 'show the steps, cost and status of a run',
    load: () => import('../commands/show.ts'),
  },
  logs: {
    group: 'Runs',
    summary: 'print the output of the steps of a run',
    load: () => import('../commands/logs.ts'),
  },
  diff: {
    group: 'Runs',
    summary: 'show what isolated steps, items and tasks of a run changed',
    load: () => import('../commands/diff.ts'),
  },
  report: { group: 'Runs', summary: 'write a report of a run', load: () => import('../commands/report.ts') },
  explain: {
    group: 'Runs',
    summary: 'explain why a step ran, was skipped, was retried or was replayed',
    load: () => import('../commands/explain.ts'),
  },
  approve: {
    group: 'Runs',
    summary: 'answer a question that a run is waiting on',
    load: () => import('../commands/approve.ts'),
  },
  cancel: { group: 'Runs', summary: 'cancel a run for good', load: () => import('../commands/cancel.ts') },
  fork: {
    group: 'Runs',
    summary: 'start a new run that reuses the first steps of another',
    load: () => import('../commands/fork.ts'),
  },
  costs: {
    group: 'Runs',
    summary: 'add up what agents cost',
    load: () => import('../commands/costs.ts'),
  },
  clean: { group: 'Runs', summary: 'remove old runs', load: () => import('../commands/clean.ts') },
  serve: {
    group: 'Runs',
    marks: MARKS.all,
    summary: 'serve a page that shows and steers the runs of workspaces',
    load: () => import('../commands/serve.ts'),
  },
  iterate: {
    group: 'Programs',
    marks: MARKS.loops,
    summary: 'run an agent in a loop until a task is complete',
    load: () => import('../commands/iterate.ts'),
  },
  converse: {
    group: 'Programs',
    summary: 'hold a conversation with an agent, running its tool calls',
    load: () => import('../commands/converse.ts'),
  },
  session: {
    group: 'Sessions',
    marks: MARKS.sessions,
    summary: 'manage sessions of planned work',
    load: () => import('../commands/session.ts'),
  },
  task: {
    group: 'Sessions',
    marks: MARKS.sessions,
    summary: 'manage the tasks of a session',
    load: () => import('../commands/task.ts'),
  },
  plan: {
    group: 'Sessions',
    marks: MARKS.sessions,
    summary: 'turn a request into tasks of a session',
    load: () => import('../commands/plan.ts'),
  },
  execute: {
    group: 'Sessions',
    marks: MARKS.sessions,
    summary: 'execute the tasks of a session in dependency order',
    load: () => import('../commands/execute.ts'),
  },
  repair: {
    group: 'Sessions',
    marks: MARKS.sessions,
    summary: 'repair sessions whose files contradict each other',
    load: () => import('../commands/repair.ts'),
  },
  views: {
    group: 'Sessions',
    marks: MARKS.sessions,
    summary: 'regenerate the Markdown files of a session from its JSON',
    load: () => import('../commands/views.ts'),
  },
  phases: {
    group: 'Phases',
    marks: MARKS.phases,
    summary: 'split a task into phases and track them',
    load: () => import('../commands/phases.ts'),
  },
  hook: {
    group: 'Phases',
    marks: MARKS.phases,
    summary: 'install Claude Code hooks that keep phases up to date',
    load: () => import('../commands/hook.ts'),
  },
  mcp: {
    group: 'Phases',
    marks: MARKS.all,
    summary: 'serve phases, tasks, queues and runs to agents over MCP',
    load: () => import('../commands/mcp.ts'),
  },
  queue: {
    group: 'Files',
    summary: 'manage the task queues of agents',
    load: () => import('../commands/queue.ts'),
  },
  status: {
    group: 'Files',
    summary: 'write, read and validate status files of agents',
    load: () => import('../commands/status.ts'),
  },
  init: {
    group: 'Start',
    marks: MARKS.none,
    summary: 'create a first workflow in this folder',
    load: () => import('../commands/init.ts'),
  },
  demo: {
    group: 'Start',
    marks: MARKS.none,
    summary: 'run a multi-agent workflow with the built-in mock agent',
    load: () => import('../commands/demo.ts'),
  },
  doctor: {
    group: 'Start',
    summary: 'check agents, environment, workspace and runs',
    load: () => import('../commands/doctor.ts'),
  },
  completion: {
    group: 'Start',
    marks: MARKS.none,
    summary: 'print a completion script for bash, zsh or fish',
    load: () => import('../commands/completion.ts'),
  },
  complete: {
    group: 'Start',
    isHidden: true,
    marks: MARKS.none,
    summary: 'print what may come next on a command line, for `completion`',
    load: () => import('../commands/complete.ts'),
  },
  'carry-out': {
    group: 'Start',
    isHidden: true,
    marks: MARKS.none,
    summary: 'carry out a plan read from standard input, for `--detach`',
    load: () => import('../commands/carry-out.ts'),
  },
  'load-code': {
    group: 'Start',
    isHidden: true,
    marks: MARKS.none,
    summary: 'load a workflow in code for an operation read from standard input, for `serve` and `keep`',
    load: () => import('../commands/load-code.ts'),
  },
};
