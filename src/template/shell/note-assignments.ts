import type { Cursor, ScriptWord, SimpleCommand } from './cursor.ts';
import { lose, refuse } from './cursor.ts';
import { type Flow, PUT_IN } from './flow/flow.ts';
import { addSink, expand, fill, gathering } from './flow/gather.ts';
import { isEvaluatedWhenSet, steersExecution } from './programs/steering-variables.ts';

const ASSIGNS = /^([A-Za-z_][A-Za-z0-9_]*)(\[[\s\S]*?\])?(\+?)=/;

/** The name that a word sets, even in quotes: `env "A=$1" cmd`, `export "v=$1"`. */
export function nameSetBy(word: ScriptWord): string | undefined {
  return word.assigns ?? ASSIGNS.exec(word.prefix)?.[1];
}

/** Notes the variables that a command sets and their values; any word that looks like an assignment counts. */
export function noteAssignments(command: SimpleCommand, cursor: Cursor): void {
  for (const word of command.assignments) judgeAssignment(word, cursor);
  for (const word of [...command.assignments, ...command.words]) {
    const name = nameSetBy(word);
    if (name !== undefined) fill(cursor, name, valueSet(word, name, cursor));
    if (word.subscript !== undefined) {
      addSink(cursor, word.subscript, { type: 'computed', refusal: 'subscript' });
    }
  }
}

/** The text after the `=`; with `+=` also the previous value. */
function valueSet(word: ScriptWord, name: string, cursor: Cursor): Flow {
  const { flow } = word;
  const [before = '', , , appends] = ASSIGNS.exec(flow.text) ?? [];
  const text = flow.text.slice(before.length).replace(/^\(|\)$/g, '');
  if (appends !== '+') return { ...flow, text };
  const own = gathering(cursor, () => expand(cursor, name, { isWhole: true }));
  return { ...flow, expansions: [...flow.expansions, ...own.expansions], text: PUT_IN + text };
}

function judgeAssignment(word: ScriptWord, cursor: Cursor): void {
  const name = word.assigns ?? '';
  for (const reference of word.subscript?.references ?? []) refuse(cursor, reference, 'subscript');
  if (name === 'IFS' && /^IFS=.*[A-Za-z0-9_]/s.test(word.literal ?? '')) {
    lose(cursor, '`IFS` changes how words are split');
  }
  if (steersExecution(name)) noteSteering(word, name, cursor);
}

/** Notes a variable that controls what a shell runs, or that is evaluated. */
export function noteSteering(word: ScriptWord, name: string, cursor: Cursor): void {
  const isEvaluated = isEvaluatedWhenSet(name);
  addSink(cursor, word.flow, { type: isEvaluated ? 'run' : 'direct', refusal: 'steering-variable' });
  if (!isEvaluated) return;
  const text = word.flow.text.replace(ASSIGNS, '');
  addSink(cursor, { ...word.flow, text }, { type: 'computed', refusal: 'steering-variable' });
}

/** A command sets a variable that it is given by name: `for NAME in`, `read NAME`, `printf -v NAME`. */
export function fillNamed(cursor: Cursor, name: string, flow: Flow): void {
  fill(cursor, name, flow);
  if (!steersExecution(name)) return;
  for (const reference of flow.references) refuse(cursor, reference, 'steering-variable');
  addSink(cursor, flow, { type: isEvaluatedWhenSet(name) ? 'run' : 'direct', refusal: 'steering-variable' });
}
