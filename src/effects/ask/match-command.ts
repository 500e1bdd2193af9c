/** Whether a glob such as `git push*` matches a command. */
import { matchesText } from '../../store/glob-pattern.ts';
import type { ListedCommand } from '../../template/shell/list-commands.ts';

/** All of it is known, and it is exactly what the glob says. */
export function allowsCommand(glob: string, { words, hasMore }: ListedCommand): boolean {
  return !hasMore && words.every((word) => word !== undefined) && matches(glob, words.join(' '));
}

/** `maybe`: only if a word that the shell fills in is the right one. */
export type Match = 'yes' | 'maybe' | 'no';

/** As the text of the command, or word by word: other words may be between those of the glob (`git -C dir push`). */
export function matchCommand(glob: string, { words }: ListedCommand): Match {
  const [program, ...others] = words;
  const named = program === undefined ? words : [program.slice(program.lastIndexOf('/') + 1), ...others];
  const wanted = glob.split(/\s+/).filter((word) => word !== '');
  const isKnown = !words.includes(undefined);
  if (isKnown && [words, named].some((each) => matches(glob, each.join(' ')))) return 'yes';
  const found = matchWords(wanted, named);
  return found === 'no' && !isKnown && glob.startsWith('*') ? 'maybe' : found;
}

/** The first word is the program; the others may have more between them. Each is compared once. */
function matchWords(wanted: readonly string[], words: readonly (string | undefined)[]): Match {
  const [program = '', ...rest] = wanted;
  const [first, ...others] = words;
  if (first === undefined) return 'maybe';
  if (!matches(program, first)) return 'no';
  let at = 0;
  for (const word of others) {
    if (at === rest.length) return 'yes';
    // From here on, it may be anything.
    if (word === undefined) return 'maybe';
    if (matches(rest[at] ?? '', word)) at += 1;
  }
  // `git push *` also means `git push`.
  return rest.slice(at).every((word) => /^\*+$/.test(word)) ? 'yes' : 'no';
}

function matches(glob: string, text: string): boolean {
  const found = matchesText(glob, text);
  // The loader has checked it; one that cannot be read matches everything.
  return found.type === 'error' || found.value;
}
