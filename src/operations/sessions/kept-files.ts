import type { KeptFile } from '../../model/kept-file.ts';
import type { Session } from '../../session/sessions/sessions.ts';

/** With paths relative to the workspace. */
export function keptFiles(
  { paths: { relative } }: Pick<Session, 'paths'>,
  kept: readonly KeptFile[],
): readonly KeptFile[] {
  return kept.map(({ name, keptAs }) => ({ name: `${relative}/${name}`, keptAs: `${relative}/${keptAs}` }));
}
