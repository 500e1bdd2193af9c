/** The read-only commands, for a site with files of every program. */

/** Points are chosen by index in this list, so add new commands at the end. */
export const READING_COMMANDS: readonly (readonly string[])[] = [
  ['runs'],
  ['runs', '--json'],
  ['show', 'last'],
  ['show', 'last', '--json'],
  ['show', 'last', '--all'],
  ['logs', 'last'],
  ['logs', 'last', '--stderr'],
  ['logs', 'last', '--prompt'],
  ['logs', 'last', '--response'],
  ['report', 'last'],
  ['report', 'last', '--format', 'html'],
  ['report', 'last', '--format', 'json'],
  ['explain', 'last'],
  ['explain', 'last', '--json'],
  ['doctor', '--json'],
  ['doctor', 'last', '--json'],
  ['clean', '--dry-run', '--older-than', '1m'],
  ['validate', 'work.yaml'],
  ['queue', 'list', '--json'],
  ['session', 'list', '--json'],
  ['session', 'status'],
  ['session', 'status', '--json'],
  ['repair', '--dry-run'],
  ['task', 'list', '--json'],
  ['task', 'list', '--ready'],
  ['task', 'show', 'IMPL-1'],
  ['task', 'validate', '--json'],
  ['execute', '--dry-run', '--agent', 'mock'],
  ['phases', 'show'],
  ['phases', 'show', '--json'],
  ['hook', 'status', '--json'],
  ['converse', 'list', 'talk', '--json'],
  ['converse', 'history', 'talk'],
  ['converse', 'history', 'talk', '--format', 'jsonl'],
  ['converse', 'clean', 'talk', '--dry-run'],
  ['iterate', 'list'],
  ['iterate', 'show', 'task', '--json'],
  ['iterate', 'config', '--list', '--json'],
  ['iterate', 'archive', 'list', '--json'],
  ['iterate', 'template', 'list'],
];

export const VIEWS_OF_LAST_RUN = READING_COMMANDS.filter((argv) => argv.includes('last'));

/** It prints JSON. */
export function isForPrograms(argv: readonly string[]): boolean {
  return argv.includes('--json') || (argv.includes('json') && argv.includes('--format'));
}

/** It prints for a terminal. */
export function isForPeople(argv: readonly string[]): boolean {
  return !argv.includes('--json') && !argv.includes('--format');
}
