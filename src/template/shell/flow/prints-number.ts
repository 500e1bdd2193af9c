import type { Dialect, ScriptWord, SimpleCommand } from '../cursor.ts';

/** Programs that print a fact about the machine, independent of files. */
const OWN_FACTS = new Set(['date', 'nproc', 'id', 'uname', 'arch', 'hostname', 'mktemp', 'getconf', 'tty']);
const DIGITS = /^(?:0-9|\[:digit:\])(?:\\n)?$/;

/**
 * Returns the program if the command prints a number or a fact about the machine, so that its output contains no value: `wc -l < file`,
 * `grep -c x file`, `date +%s`. A word that the program may read as an option makes the output uncertain.
 */
export function printsNumber(command: SimpleCommand | undefined, dialect: Dialect): string | undefined {
  if (command === undefined || command.assignments.length > 0 || !printsToOutput(command)) return undefined;
  const [program, ...words] = command.words;
  const name = program?.literal ?? '';
  const texts = words.map(({ literal }) => literal ?? '');
  const areKnown = words.every(({ literal }) => literal !== undefined);
  const isNumber = (): boolean => {
    if (OWN_FACTS.has(name)) return areKnown;
    switch (name) {
      case 'wc':
        return areKnown && texts.every((text) => /^-[clmwL]+$/.test(text));
      case 'tr':
        return (
          areKnown &&
          /^-(?:cd|dc|Cd|dC)$/.test(texts[0] ?? '') &&
          DIGITS.test(texts[1] ?? '') &&
          words.length === 2
        );
      case 'grep':
        return countsLines(words);
      case 'stat':
        return (
          /^-[cf]$/.test(texts[0] ?? '') &&
          /^%[sYXZahzm]$/.test(texts[1] ?? '') &&
          words.slice(2).every(isNoOption)
        );
      case 'printf':
        return (dialect === 'bash' || dialect === 'posix') && /^%[0-9]*d(?:\\n)?$/.test(texts[0] ?? '');
      case 'git':
        return areKnown && texts[0] === 'rev-list' && texts[1] === '--count';
      default:
        return false;
    }
  };
  return isNumber() ? name : undefined;
}

/** Errors go to another stream, so only the result is read. */
function printsToOutput({ redirects }: SimpleCommand): boolean {
  return redirects.every(
    ({ operator, target }) => operator === '<' || (operator === '>' && target.literal === '/dev/null'),
  );
}

/** `grep -c PATTERN [FILE]`, which prints no file name. */
function countsLines([option, ...words]: readonly ScriptWord[]): boolean {
  const letters = option?.literal ?? '';
  if (!/^-[cEFiqvwxs]+$/.test(letters) || !letters.includes('c')) return false;
  const ended = words[0]?.literal === '--';
  const [pattern, ...files] = ended ? words.slice(1) : words;
  if (pattern === undefined || files.length > 1) return false;
  return [pattern, ...files].every((word) => (ended ? !word.splits : isNoOption(word)));
}

function isNoOption(word: ScriptWord): boolean {
  return !word.splits && word.prefix !== '' && !word.prefix.startsWith('-');
}
