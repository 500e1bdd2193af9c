import type { Mode } from '../mode.ts';
import type { Place } from './place.ts';

const HOW: { readonly [Name in Mode]: string } = {
  loop: 'The task will be done in many short sessions, one item in each. So the instructions must let an agent that remembers nothing find the next item, do it and know when all are done.',
  iterative:
    'The task will be done in long sessions in which an agent does as much as it can. So the instructions must say what is wanted as a whole and how to tell that it is reached.',
};

export interface SetupTask {
  readonly mode: Mode;
  readonly place: Place;
  readonly instructionsPath: string;
}

/** For a conversation with the person who wants the task done. */
export function setupSystem({ mode, place, instructionsPath }: SetupTask): string {
  return `You help a person to write the instructions of a task that agents will then do on their own, with nobody to ask. ${HOW[mode]}

The project is in ${place.projectRoot}, the task's own folder is ${place.workspacePath}. Look at the project, ask what you need to know, a few questions at a time, and then write the instructions to ${instructionsPath}. They name the goal, the scope, the files, the way the work is cut into items, what must hold when it is done, and the commands that show it. They say nothing of status files or of how sessions are run: that is added by itself. Do not begin with the task itself.`;
}

export function setupPrompt({ instructionsPath }: SetupTask): string {
  return `Let us write the instructions of a task into ${instructionsPath}. First ask me what I want to have done.`;
}

export function editPrompt({ instructionsPath }: SetupTask): string {
  return `The instructions of the task are in ${instructionsPath}. Read them, tell me in a few lines what they say, and ask me what I want to change. Then change the file.`;
}
