/** By which the workspace of a command is recognized from a subfolder: `.orchestrate`, and what the command itself keeps its state in. */
const RUNS = '.orchestrate';
const SESSIONS = '.workflow';
const PHASES = '.claude/state';

export const MARKS = {
  /** For commands that work in the current folder. */
  none: [],
  runs: [RUNS],
  sessions: [RUNS, SESSIONS],
  phases: [RUNS, PHASES],
  loops: [RUNS, 'claude-iterate', '.claude-iterate.json'],
  all: [RUNS, SESSIONS, PHASES],
} as const;
