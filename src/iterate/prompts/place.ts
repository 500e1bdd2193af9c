/** The folders named in prompts: absolute, because the agent's working directory is the project, not the workspace. */
export interface Place {
  readonly projectRoot: string;
  readonly workspacePath: string;
}

/** `{{projectRoot}}` and `{{workspacePath}}` in a text written by the user. */
export function withPlace(text: string, place: Place): string {
  return text
    .replaceAll('{{projectRoot}}', () => place.projectRoot)
    .replaceAll('{{workspacePath}}', () => place.workspacePath);
}
