import type { Field } from '../model/field.ts';
import type { JsonObject } from '../model/json.ts';
import { shellWord } from '../model/shell-word.ts';
import { typedCommand } from '../model/typed-command.ts';
import { printable, printableLine } from './text/printable.ts';
import { kindText, needText } from './text/question.ts';
import { renderTable } from './text/table.ts';

export interface DescribedWorkflow {
  readonly name: string;
  readonly file: string;
  readonly description?: string;
  readonly inputs: readonly Field[];
  readonly context: JsonObject;
  readonly is_code?: true;
  readonly takes_anything?: true;
}

/** A workflow as its users need to know it: what it does, what it needs, and the command that starts it. */
export function renderInputs(workflow: DescribedWorkflow): string {
  const { name, file, description, inputs, context, is_code, takes_anything } = workflow;
  const title = [
    printableLine(name),
    ...(description === undefined ? [] : ['', printable(description).trimEnd()]),
  ];
  const rows = inputs.map((field) => [
    field.name,
    kindText(field),
    needText(field),
    printableLine(field.description ?? ''),
  ]);
  const table =
    rows.length === 0
      ? takes_anything === true
        ? 'no schema describes its input\n'
        : 'no inputs\n'
      : renderTable([{ title: 'INPUT' }, { title: 'TYPE' }, { title: '' }, { title: '' }], rows);
  const others = Object.keys(context);
  const also = others.length === 0 ? '' : `\nother context: ${others.map(printableLine).join(', ')}\n`;
  const option = is_code === true ? '--input' : '--context';
  const needed = inputs.filter(({ required }) => required).map((field) => ` ${option} ${field.name}=…`);
  return `${title.join('\n')}\n\n${table}${also}\nstart it with: ${typedCommand(`run ${shellWord(file)}${needed.join('')}`)}\n`;
}
