/** Programs of which nothing is known. Their arguments are data, except where a word says otherwise. */
import {
  type CommandShape,
  commandShape,
  programName,
  takeRoles,
  type WordRole,
  wordAt,
} from './command-shape.ts';
import { interpreterFor } from './programs/interpreters.ts';
import { SHELLS } from './programs/shells.ts';

/** Options whose name says that their value is run: `--exec`, `--on-change-command`, `--eval=…`. */
const TELLING =
  /^--?(?:[a-z]+-)*(?:exec|execute|eval|cmd|command|script-shell|rsh|pager|editor|hook|call|preprocessor)(=|$)/;

/** U1 The value of an option that is named for running it is code. U2 `bash -c …` among the words is a script. */
export function unlistedArguments(shape: CommandShape, from: number): void {
  const isOwn = wordAt(shape, shape.programAt).literal?.includes('/') === true;
  if (!isOwn) tellingOptions(shape, from);
  for (let at = from; at < shape.words.length; at += 1) {
    const { literal } = wordAt(shape, at);
    const program = literal === undefined ? undefined : programName(wordAt(shape, at));
    if (program === undefined || !(SHELLS.has(program) || interpreterFor(program) !== undefined)) continue;
    if (!/^[-+]/.test(wordAt(shape, at + 1).literal ?? '')) continue;
    const inner = commandShape(shape.words.slice(at));
    if (!inner.roles.includes('script') && !inner.roles.includes('code')) continue;
    takeRoles(shape, inner, at);
    shape.shell = inner.shell;
    return;
  }
}

function tellingOptions(shape: CommandShape, from: number): void {
  const code: WordRole = 'code';
  for (let at = from; at < shape.words.length; at += 1) {
    const { literal, prefix } = wordAt(shape, at);
    if (literal === '--') return;
    const found = TELLING.exec(literal ?? prefix);
    if (found === null) continue;
    if (found[1] === '=') shape.roles[at] = code;
    else if (literal !== undefined && at + 1 < shape.roles.length) shape.roles[at + 1] = code;
  }
}
