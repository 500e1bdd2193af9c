import type { RunId } from '../model/ids.ts';
import type { JournalDamage } from '../store/journal-file.ts';

export interface DescribedDamage {
  readonly message: string;
  /** What can be done about it. */
  readonly help: string;
}

/** The one way in which a journal that cannot be loaded is spoken of. */
export function describeDamage(runId: RunId, damage: JournalDamage): DescribedDamage {
  return { message: damage.message, help: helpFor(runId, damage) };
}

export function tellDamage(runId: RunId, damage: JournalDamage): string {
  const { message, help } = describeDamage(runId, damage);
  return `error: ${message}\nhelp: ${help}\n`;
}

function helpFor(runId: RunId, damage: JournalDamage): string {
  switch (damage.type) {
    case 'damaged-record':
    case 'wrong-sequence':
      return `\`orchestrate doctor ${runId} --cut\` keeps what stands before it (and the damaged file beside it); \`orchestrate resume ${runId}\` goes on from there`;
    case 'unsupported-version':
      return 'it was written by a newer version: use that one';
    case 'not-a-journal':
    case 'damaged-header':
      return 'nothing can be read from it; its logs, prompts and responses are still in the folder of the run';
    case 'file-error':
      return 'see that the file can be read';
  }
}
