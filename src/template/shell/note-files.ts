import type { CommandShape } from './command-shape.ts';
import type { Cursor, ScriptWord, SimpleCommand } from './cursor.ts';
import { nameSetBy } from './note-assignments.ts';

const WRITES = /^(?:tee|cp|mv|install|ln|rsync|curl|wget|dd)$/;

/** Notes the files a command writes and runs; a file that is both may contain values. */
export function noteFiles(command: SimpleCommand, shape: CommandShape, cursor: Cursor): void {
  const { written, run } = cursor.uses;
  for (const { operator, target } of command.redirects)
    if (operator.includes('>')) written.add(fileName(target));
  // With a changed `PATH`, a written file may have the name of any command.
  const words = [...command.assignments, ...command.words];
  cursor.uses.setsPath ||= words.some((word) => nameSetBy(word) === 'PATH');
  const writes = WRITES.test(shape.program ?? '');
  const sources = shape.program === '.' || shape.program === 'source';
  command.words.forEach((word, at) => {
    if (writes && at > shape.programAt) written.add(fileName(word));
    const isRun = /^(?:program|steering)$/.test(shape.roles[at] ?? '');
    if (isRun && at === 0 && !/\//.test(word.raw)) cursor.uses.named.add(fileName(word));
    else if (isRun || (sources && at === shape.programAt + 1)) run.add(fileName(word));
  });
  const input = command.redirects.find(({ operator }) => operator === '<');
  if (shape.readsInput && input !== undefined) run.add(fileName(input.target));
}

function fileName({ literal, raw }: ScriptWord): string {
  const name = literal ?? raw.replaceAll('"', '');
  return name.slice(name.lastIndexOf('/') + 1).replace(/^of=/, '');
}
