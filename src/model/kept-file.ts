/** A file of somebody else that stood where this program writes. Both names are relative to the folder that was written to. */
export interface KeptFile {
  readonly name: string;
  readonly keptAs: string;
}

/** What people are told of it; `folder` is where the names begin. */
export function keptText({ name, keptAs }: KeptFile, folder?: string): string {
  const at = folder === undefined ? '' : `${folder}/`;
  return `kept \`${at}${name}\` as \`${at}${keptAs}\`: it was not written by orchestrate, or was changed since`;
}
