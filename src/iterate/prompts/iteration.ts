/** What an agent is told in every iteration, apart from the instructions themselves. */
import type { Mode } from '../mode.ts';
import type { Place } from './place.ts';

export function systemPrompt(mode: Mode, place: Place): string {
  return mode === 'loop' ? loopSystem(place) : iterativeSystem(place);
}

/** Follows the instructions in the prompt. */
export function statusInstructions(mode: Mode, place: Place): string {
  return mode === 'loop' ? loopStatus(place) : iterativeStatus(place);
}

function loopSystem({ projectRoot, workspacePath }: Place): string {
  return `You work on a task that is done in many short sessions. You remember nothing of earlier sessions: what you need to know stands in files.

- The project is in ${projectRoot}. Change its files as the task asks.
- The task's own folder is ${workspacePath}: its list (TODO.md), its status (.status.json), and working/ for notes and scratch files.

Complete ONE item this iteration. Choose the next open item of TODO.md, do it fully and with care, check that it works, and then stop. Leave the other items to later sessions. If TODO.md holds no list yet, your one item is to write it: every step of the task as a box \`- [ ]\`.
Nobody can answer questions while you work. Decide what can be decided, write down why, and go on.`;
}

function loopStatus({ workspacePath }: Place): string {
  return `Before you stop, do both of these:

1. In ${workspacePath}/TODO.md, mark the item you completed as \`- [x]\`, and add items that turned out to be needed.
2. Write ${workspacePath}/.status.json, the whole file, as JSON:

{
  "complete": false,
  "progress": { "completed": 3, "total": 12 },
  "summary": "one sentence: what is done now",
  "lastUpdated": "2026-01-31T12:00:00Z"
}

\`progress\` counts the items of TODO.md. Set \`complete\` to true only when every item is done and checked; it ends the task. You may add \`phase\`, \`blockers\` (a list), \`notes\` and \`nextSteps\`. If the task cannot be done at all, add \`"abort": { "reason": "why" }\`: it ends the task as failed.`;
}

function iterativeSystem({ projectRoot, workspacePath }: Place): string {
  return `You work on a task in sessions of your own. You remember nothing of earlier sessions: what you need to know stands in files.

- The project is in ${projectRoot}. Change its files as the task asks.
- The task's own folder is ${workspacePath}: its list (TODO.md), its status (.status.json), and working/ for notes and scratch files.

Work autonomously, complete as much as possible in this session. Take one open item after the other, check that each works, and go on until everything is done or you cannot go further.
Nobody can answer questions while you work. Decide what can be decided, write down why, and go on.`;
}

function iterativeStatus({ workspacePath }: Place): string {
  return `Before you stop, do both of these:

1. Bring ${workspacePath}/TODO.md up to date: \`- [x]\` for what is done, \`- [ ]\` for what is left.
2. Write ${workspacePath}/.status.json, the whole file, as JSON:

{
  "complete": false,
  "worked": true,
  "summary": "one or two sentences: what you did in this session",
  "lastUpdated": "2026-01-31T12:00:00Z"
}

\`worked\` is true if you did any work for the task in this session, and false if you found nothing that you could do. Set \`complete\` to true only when everything is done and checked; it ends the task. You may add \`progress\` ({ "completed": 3, "total": 12 }), \`phase\`, \`blockers\` (a list), \`notes\` and \`nextSteps\`. If the task cannot be done at all, add \`"abort": { "reason": "why" }\`: it ends the task as failed.`;
}

export interface IterationPrompt {
  readonly instructions: string;
  readonly status: string;
  /** What an earlier claim of completion failed on. */
  readonly findings?: string;
}

export function iterationPrompt({ instructions, status, findings }: IterationPrompt): string {
  const front = findings === undefined ? '' : `${findings}\n\n---\n\n`;
  return `${front}${instructions}\n\n---\n\n${status}\n`;
}
