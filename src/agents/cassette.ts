/**
 * One agent call stored as a file that can be read, reviewed and replayed: the request, the prompt, every line the agent printed, the
 * files it changed, and how it ended. Secrets are masked; folders of the recording machine are written as tokens and restored on
 * replay.
 *
 *   {"type":"cassette","format":1,"step":"Plan","attempt":1,"agent":"claude","argv":["claude","-p"]}
 *   {"type":"answers","answers":{"toolu_1":{"type":"chosen","choice":"allow"}}}     if it continues after a question
 *   {"type":"prompt","line":"Write a plan."}                 one per line
 *   {"type":"stdout","line":"{\\"type\\":\\"system\\",…}"}       one per line
 *   {"type":"stderr","line":"…"}                             the last ones
 *   {"type":"file","path":"plan.md","text":"…"}              changed by the agent; `null`: removed
 *   {"type":"exit","exitCode":0}
 */
import { defined } from '../model/defined.ts';
import type { Answer } from '../model/event.ts';
import { isJsonObject, type JsonObject, parseJson } from '../model/json.ts';
import { error, ok, type Result } from '../model/result.ts';
import type { AgentEnded } from './classify.ts';
import { listOf, numberOf, objectOf, textOf } from './fields.ts';

export interface Cassette {
  readonly step: string;
  readonly attempt: number;
  readonly agent: string;
  readonly argv: readonly string[];
  readonly prompt: string;
  /** The complete prompt, with its newlines. */
  readonly stdout: string;
  readonly stderr: string;
  readonly files: readonly CassetteFile[];
  readonly exit: CassetteExit;
  /** The answers with which this attempt continued. */
  readonly answers?: CassetteAnswers;
}

/** By the name of the question. */
export type CassetteAnswers = { readonly [name: string]: Answer };

/** `null` if it was removed. Bytes that are not text are stored as base64. */
export type CassetteFile =
  | { readonly path: string; readonly text: string | null }
  | { readonly path: string; readonly base64: string };

export interface CassetteExit {
  readonly exitCode: number;
  readonly signal?: string;
  readonly ended?: AgentEnded;
}

const FORMAT = 1;
const TYPES: ReadonlySet<string> = new Set([
  'cassette',
  'answers',
  'prompt',
  'stdout',
  'stderr',
  'file',
  'exit',
]);

/** Folder → token, so that a cassette recorded on one machine can be replayed on another. */
export interface CassetteSite {
  readonly workspace: string;
  readonly directory: string;
  readonly runId: string;
}

export function renderCassette(cassette: Cassette, site: CassetteSite): string {
  const { step, attempt, agent, argv, answers } = cassette;
  const lines: JsonObject[] = [
    { type: 'cassette', format: FORMAT, step, attempt, agent, argv },
    ...(answers === undefined ? [] : [{ type: 'answers', answers: answers as unknown as JsonObject }]),
    ...cassette.prompt.split('\n').map((line) => ({ type: 'prompt', line })),
    ...cassette.stdout.split('\n').map((line) => ({ type: 'stdout', line })),
    ...cassette.stderr.split('\n').map((line) => ({ type: 'stderr', line })),
    ...cassette.files.map((file) => ({ type: 'file', ...file })),
    { type: 'exit', ...cassette.exit, ended: cassette.exit.ended as JsonObject | undefined },
  ];
  return `${lines.map((line) => toTokens(JSON.stringify(line), site)).join('\n')}\n`;
}

export function parseCassette(text: string, site: CassetteSite): Result<Cassette, string> {
  const lines: JsonObject[] = [];
  for (const [index, line] of text.trimEnd().split('\n').entries()) {
    try {
      const value: unknown = parseJson(fromTokens(line, site));
      if (!isJsonObject(value)) return error(`line ${index + 1} is not an object`);
      if (!TYPES.has(String(value['type']))) return error(`line ${index + 1} has an unknown type`);
      lines.push(value);
    } catch {
      return error(`line ${index + 1} is not JSON`);
    }
  }
  const head = lines[0] ?? {};
  const exit = lines.at(-1) ?? {};
  if (head['type'] !== 'cassette' || head['format'] !== FORMAT) return error('not a cassette of format 1');
  if (exit['type'] !== 'exit') return error('incomplete: its `exit` line is missing');
  const linesOf = (type: string): string =>
    lines
      .filter((line) => line['type'] === type)
      .map((line) => textOf(line['line']) ?? '')
      .join('\n');
  const ended = exit['ended'];
  const signal = textOf(exit['signal']);
  const answers = lines.find((line) => line['type'] === 'answers')?.['answers'];
  return ok({
    ...(answers === undefined ? {} : { answers: objectOf(answers) as unknown as CassetteAnswers }),
    step: textOf(head['step']) ?? '',
    attempt: numberOf(head['attempt']) ?? 1,
    agent: textOf(head['agent']) ?? '',
    argv: listOf(head['argv']).map((value) => String(value)),
    prompt: linesOf('prompt'),
    stdout: linesOf('stdout'),
    stderr: linesOf('stderr'),
    files: lines.filter((line) => line['type'] === 'file').map(readFile),
    exit: {
      exitCode: numberOf(exit['exitCode']) ?? 1,
      ...defined({ signal }),
      ...(ended === undefined ? {} : { ended: objectOf(ended) as unknown as AgentEnded }),
    },
  });
}

function readFile(line: JsonObject): CassetteFile {
  const path = textOf(line['path']) ?? '';
  const base64 = textOf(line['base64']);
  return base64 === undefined ? { path, text: textOf(line['text']) ?? null } : { path, base64 };
}

function tokens(site: CassetteSite): readonly (readonly [string, string])[] {
  // The run's folder first, since it is inside the workspace.
  return [
    [site.directory, '{{orchestrate.run}}'],
    [site.workspace, '{{orchestrate.workspace}}'],
    [site.runId, '{{orchestrate.run_id}}'],
  ];
}

/** Works on JSON text; the restored paths are inside JSON strings too. */
function toTokens(line: string, site: CassetteSite): string {
  return tokens(site).reduce((text, [value, token]) => text.replaceAll(escaped(value), token), line);
}

function fromTokens(line: string, site: CassetteSite): string {
  return tokens(site).reduce((text, [value, token]) => text.replaceAll(token, () => escaped(value)), line);
}

function escaped(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}
