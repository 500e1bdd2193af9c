/** The parsers of the product for text from outside, to be called thousands of times (P2: as in `rig/readers.ts`). */
import { bundled } from '../rig/readers.ts';

export interface Parsers {
  /** Diagnostics; empty if the file is valid. */
  workflow(folder: string, file: string): unknown;
  /** Parses a template and, if it is valid, renders it with these values. */
  template(text: string, values: Readonly<Record<string, unknown>>): unknown;
  /** The script with the value; `undefined` if its place is rejected. */
  script(shell: string, script: string, value: string): string | undefined;
  /** The arguments of a command with the value; `undefined` if it is rejected. */
  command(argv: readonly string[], value: string): readonly string[] | undefined;
  /** Events of a stream that arrives in these pieces. */
  stream(agent: string, pieces: readonly Buffer[]): unknown;
  answer(text: string): unknown;
  phases(value: unknown): unknown;
  metadata(value: unknown): unknown;
  conversation(value: unknown): unknown;
}

const ENTRY = `
import { ADAPTERS } from './src/agents/adapters/all.ts';
import { createEventStream } from './src/agents/read-events.ts';
import { readText } from './src/converse/read-answer.ts';
import { parseSession } from './src/converse/session.ts';
import { parseMetadata } from './src/iterate/workspace/metadata.ts';
import { parsePhases } from './src/phases/document.ts';
import { parseCommand, renderCommand } from './src/template/shell/command.ts';
import { parseVariables } from './src/template/parse-variables.ts';
import { renderTemplate } from './src/template/render.ts';
import { loadWorkflow } from './src/workflow/load/load-workflow.ts';
export const workflow = loadWorkflow;
export const template = (text, values) => {
  const parsed = parseVariables(text);
  return parsed.problems.length > 0 ? parsed.problems : renderTemplate(parsed.template, ([name]) => values[name]);
};
export const script = (shell, text, value) => {
  const parsed = parseCommand([shell, '-c', text]);
  if (parsed.problems.length > 0) return undefined;
  const rendered = renderCommand(parsed, () => value);
  return rendered.type === 'ok' ? rendered.value[2] : undefined;
};
export const command = (argv, value) => {
  const parsed = parseCommand(argv);
  if (parsed.problems.length > 0) return undefined;
  const rendered = renderCommand(parsed, () => value);
  return rendered.type === 'ok' ? rendered.value : undefined;
};
export const stream = (agent, pieces) => {
  const events = createEventStream(ADAPTERS[agent].createReader());
  return [...pieces.flatMap((piece) => [...events.push(piece)]), ...events.end()];
};
export const answer = readText;
export const phases = parsePhases;
export const metadata = parseMetadata;
export const conversation = parseSession;
`;

export function loadParsers(root: string, folder: string): Promise<Parsers> {
  return bundled<Parsers>(root, folder, ENTRY);
}
