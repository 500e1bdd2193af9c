/** A foreign file found where this program writes. Both names are relative to the folder that was written to. */
export interface KeptFile {
  readonly name: string;
  readonly keptAs: string;
}

/** The message for users; `folder` is the folder that the names are relative to. */
export function keptText({ name, keptAs }: KeptFile, folder?: string): string {
  const at = folder === undefined ? '' : `${folder}/`;
  return `kept \`${at}${name}\` as \`${at}${keptAs}\`: it was not written by orchestrate, or has been changed since`;
}
