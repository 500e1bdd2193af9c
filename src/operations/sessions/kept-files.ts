import { keptText, type KeptFile as NamedFile } from '../../model/kept-file.ts';
import type { Session } from '../../session/sessions.ts';

/** A file of somebody else's that stood in the place of a view. Both paths begin in the workspace. */
export interface KeptFile {
  readonly file: string;
  readonly keptAs: string;
}

export function keptFiles(
  { paths: { relative } }: Pick<Session, 'paths'>,
  kept: readonly NamedFile[],
): readonly KeptFile[] {
  return kept.map(({ name, keptAs }) => ({ file: `${relative}/${name}`, keptAs: `${relative}/${keptAs}` }));
}

export function describeKept({ file, keptAs }: KeptFile): string {
  return keptText({ name: file, keptAs });
}
