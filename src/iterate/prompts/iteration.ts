/** The prompt parts of every iteration besides the instructions. */
import type { Mode } from '../mode.ts';
import type { Place } from './place.ts';
import { at, listed, type Words, words } from './words.ts';

export function systemPrompt(mode: Mode, place: Place): Words {
  return mode === 'loop' ? loopSystem(place) : iterativeSystem(place);
}

/** The part after the instructions. */
export function statusInstructions(mode: Mode, place: Place): Words {
  return mode === 'loop' ? loopStatus(place) : iterativeStatus(place);
}

function loopSystem({ projectRoot, workspacePath }: Place): Words {
  return words`You are working on a task in many short sessions. You remember nothing of earlier sessions: everything you need to know is in files.

- The project is in ${at(projectRoot)}. Change its files as the task requires.
- The task's own folder is ${at(workspacePath)}: its list (TODO.md), its status (.status.json), and working/ for notes and scratch files.

Complete ONE item this iteration. Choose the next open item in TODO.md, complete it carefully, check that it works, and then stop. Leave the other items to later sessions. If TODO.md has no list yet, your one item is to write it: every step of the task as a checkbox \`- [ ]\`.
No one can answer questions while you work. Make the decisions you can, write down why, and continue.`;
}

function loopStatus({ workspacePath }: Place): Words {
  return words`Before you stop, do both of these:

1. In ${at(`${workspacePath}/TODO.md`)}, mark the item you completed as \`- [x]\`, and add any items that turn out to be needed.
2. Write ${at(`${workspacePath}/.status.json`)}, the whole file, as JSON:

{
  "complete": false,
  "progress": { "completed": 3, "total": 12 },
  "summary": "one sentence: what is done now",
  "lastUpdated": "2026-01-31T12:00:00Z"
}

\`progress\` counts the items in TODO.md. Set \`complete\` to true only when every item is done and checked; it ends the task. You may add \`phase\`, \`blockers\` (a list), \`notes\` and \`nextSteps\`. If only a person can decide something, add \`"blockers": [{ "question": "...", "choices": ["a", "b"] }]\` (\`choices\` are optional): your next session gets the answer. If the task cannot be done at all, add \`"abort": { "reason": "why" }\`: it ends the task as failed.`;
}

function iterativeSystem({ projectRoot, workspacePath }: Place): Words {
  return words`You are working on a task in autonomous sessions. You remember nothing of earlier sessions: everything you need to know is in files.

- The project is in ${at(projectRoot)}. Change its files as the task requires.
- The task's own folder is ${at(workspacePath)}: its list (TODO.md), its status (.status.json), and working/ for notes and scratch files.

Work autonomously, complete as much as possible in this session. Take one open item after another, check that each works, and continue until everything is done or you cannot get further.
No one can answer questions while you work. Make the decisions you can, write down why, and continue.`;
}

function iterativeStatus({ workspacePath }: Place): Words {
  return words`Before you stop, do both of these:

1. Update ${at(`${workspacePath}/TODO.md`)}: \`- [x]\` for what is done, \`- [ ]\` for what is left.
2. Write ${at(`${workspacePath}/.status.json`)}, the whole file, as JSON:

{
  "complete": false,
  "worked": true,
  "summary": "one or two sentences: what you did in this session",
  "lastUpdated": "2026-01-31T12:00:00Z"
}

\`worked\` is true if you did any work for the task in this session, and false if you found nothing to do. Set \`complete\` to true only when everything is done and checked; it ends the task. You may add \`progress\` ({ "completed": 3, "total": 12 }), \`phase\`, \`blockers\` (a list), \`notes\` and \`nextSteps\`. If only a person can decide something, add \`"blockers": [{ "question": "...", "choices": ["a", "b"] }]\` (\`choices\` are optional): your next session gets the answer. If the task cannot be done at all, add \`"abort": { "reason": "why" }\`: it ends the task as failed.`;
}

export interface IterationPrompt {
  readonly instructions: string;
  readonly status: Words;
  /** What comes first: why an earlier claim of completion was rejected, and the like. */
  readonly front: readonly Words[];
}

export function iterationPrompt({ instructions, status, front }: IterationPrompt): Words {
  return words`${listed([...front, words`${instructions}`, status], '\n\n---\n\n')}\n`;
}
