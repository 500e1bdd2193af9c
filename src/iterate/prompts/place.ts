/** Where the agent works, as prompts name it: absolute, since the agent's folder is the project and not the workspace. */
export interface Place {
  readonly projectRoot: string;
  readonly workspacePath: string;
}

/** `{{projectRoot}}` and `{{workspacePath}}` in a text that a person wrote. */
export function withPlace(text: string, place: Place): string {
  return text
    .replaceAll('{{projectRoot}}', () => place.projectRoot)
    .replaceAll('{{workspacePath}}', () => place.workspacePath);
}
