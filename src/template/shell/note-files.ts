import type { CommandShape } from './command-shape.ts';
import type { Cursor, ScriptWord, SimpleCommand } from './cursor.ts';

const WRITES = /^(?:tee|cp|mv|install|ln|rsync|curl|wget|dd)$/;

/** Notes the files a command writes and runs; a file that is both may contain values. */
export function noteFiles(command: SimpleCommand, shape: CommandShape, cursor: Cursor): void {
  const { written, run } = cursor.uses;
  for (const { operator, target } of command.redirects)
    if (operator.includes('>')) written.add(fileName(target));
  const writes = WRITES.test(shape.program ?? '');
  const sources = shape.program === '.' || shape.program === 'source';
  command.words.forEach((word, at) => {
    if (writes && at > shape.programAt) written.add(fileName(word));
    const isFile = at > 0 || /\//.test(word.raw);
    if (
      (/^(?:program|steering)$/.test(shape.roles[at] ?? '') && isFile) ||
      (sources && at === shape.programAt + 1)
    )
      run.add(fileName(word));
  });
  const input = command.redirects.find(({ operator }) => operator === '<');
  if (shape.readsInput && input !== undefined) run.add(fileName(input.target));
}

function fileName({ literal, raw }: ScriptWord): string {
  const name = literal ?? raw.replaceAll('"', '');
  return name.slice(name.lastIndexOf('/') + 1).replace(/^of=/, '');
}
