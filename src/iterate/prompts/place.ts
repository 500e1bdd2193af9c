import { at, listed, type Words, words } from './words.ts';

/** The folders named in prompts: as absolute paths, because the agent's working directory is the project, not the workspace. */
export interface Place {
  readonly projectRoot: string;
  readonly workspacePath: string;
}

/** `{{projectRoot}}` and `{{workspacePath}}` in a text written by the user. */
export function withPlace(text: string, { projectRoot, workspacePath }: Place): Words {
  const parts = text
    .split(/(\{\{(?:projectRoot|workspacePath)\}\})/)
    .map((part) =>
      part === '{{projectRoot}}'
        ? [at(projectRoot)]
        : part === '{{workspacePath}}'
          ? [at(workspacePath)]
          : words`${part}`,
    );
  return listed(parts, '');
}
