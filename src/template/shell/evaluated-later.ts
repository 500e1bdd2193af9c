import type { Cursor, FilledVariable, SimpleCommand } from './cursor.ts';

const READS_INTO_NAMES = /^(?:read|mapfile|readarray|getopts|printf)$/;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * References that go into a variable which the script then runs or computes with: `v=${x}; eval "$v"`, `v=${x}; (( v > 3 ))`.
 * Followed by name only, through assignments, `for`, `read`, `set --` and the script's own functions, whatever the order:
 * enough to catch the mistake, not a proof.
 *
 * `evaluated` are words that are run after expansion, so a name counts there with its `$`; where the shell computes, the bare
 * name counts.
 */
export function evaluatedLater(cursor: Cursor, evaluated: readonly string[]): ReadonlySet<number> {
  const computed = cursor.computed.join('\n');
  const expansions = [...evaluated, computed].join('\n');
  const filled = cursor.filled.filter(({ callee }) => callee === undefined || cursor.functions.has(callee));
  const names = new Set(filled.map(({ name }) => name));
  const dangerous = new Set<string>();
  for (let grew = true; grew; ) {
    grew = false;
    for (const name of names) {
      if (dangerous.has(name)) continue;
      const isDangerous =
        expands(expansions, name) ||
        computes(computed, name) ||
        filled.some((other) => dangerous.has(other.name) && expands(other.raw, name));
      if (!isDangerous) continue;
      dangerous.add(name);
      grew = true;
    }
  }
  return new Set(
    filled.filter(({ name }) => dangerous.has(name)).flatMap(({ references }) => [...references]),
  );
}

/** Which variables a command sets, and from what. What is read from input may be any value of the script. */
export function noteVariables(cursor: Cursor, command: SimpleCommand): void {
  for (const word of [...command.assignments, ...command.words]) {
    if (word.assigns === undefined) continue;
    cursor.filled.push({ name: word.assigns, raw: word.raw, references: word.references });
    const subscript = /^[A-Za-z0-9_]+\[(.*?)\]\+?=/s.exec(word.raw)?.[1];
    if (subscript !== undefined) cursor.computed.push(subscript);
  }
  const [program, ...words] = command.words;
  if (program?.literal === undefined) return;
  cursor.filled.push(parametersOf(program.literal, words));
  if (!command.words.some((word) => READS_INTO_NAMES.test(word.literal ?? ''))) return;
  for (const word of command.words) {
    const name = word.literal ?? '';
    if (!NAME.test(name)) continue;
    cursor.filled.push({ name, raw: '', references: [...cursor.referenceAt.values()] });
  }
}

function parametersOf(program: string, words: SimpleCommand['words']): FilledVariable {
  return {
    name: '@',
    ...(program === 'set' ? {} : { callee: program }),
    raw: words.map((word) => word.raw).join(' '),
    references: words.flatMap((word) => word.references),
  };
}

function expands(text: string, name: string): boolean {
  return new RegExp(`\\$\\{?[#!]?${name === '@' ? '[0-9@*]' : `${name}(?![A-Za-z0-9_])`}`).test(text);
}

function computes(text: string, name: string): boolean {
  return name !== '@' && new RegExp(`(?<![A-Za-z0-9_])${name}(?![A-Za-z0-9_])`).test(text);
}
