import type { Mode } from '../mode.ts';
import type { Place } from './place.ts';

const HOW: { readonly [Name in Mode]: string } = {
  loop: 'The task will be done in many short sessions, one item in each. So the instructions must let an agent without any memory find the next item, do it and know when all are done.',
  iterative:
    'The task will be done in long sessions in which an agent does as much as it can. So the instructions must describe the overall goal and how to tell when it is reached.',
};

export interface SetupTask {
  readonly mode: Mode;
  readonly place: Place;
  readonly instructionsPath: string;
}

/** For an interactive session with the user. */
export function setupSystem({ mode, place, instructionsPath }: SetupTask): string {
  return `You help the user write the instructions for a task that agents will then do on their own, with no one to ask. ${HOW[mode]}

The project is in ${place.projectRoot}, the task's own folder is ${place.workspacePath}. Look at the project, ask what you need to know, a few questions at a time, and then write the instructions to ${instructionsPath}. They describe the goal, the scope, the files, how the work is split into items, what must be true when it is done, and the commands that check it. Leave out status files and how sessions are run: that is added automatically. Do not start the task itself.`;
}

export function setupPrompt({ instructionsPath }: SetupTask): string {
  return `Let us write the instructions for a task to ${instructionsPath}. First ask me what I want done.`;
}

export function editPrompt({ instructionsPath }: SetupTask): string {
  return `The instructions for the task are in ${instructionsPath}. Read them, summarize them in a few lines, and ask me what I want to change. Then change the file.`;
}
