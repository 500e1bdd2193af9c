/** Answers of agents, in prose and in JSON. */
import { readPlainAnswer } from '../../../src/agents/plain.ts';
import { readText } from '../../../src/converse/read-answer.ts';
import { checkAnswer } from '../../../src/converse/tools/check-requests.ts';
import { readAnswer, readPlain } from '../../../src/effects/agent/answer.ts';
import { captureOutput, captureSource } from '../../../src/effects/capture.ts';
import { parseVerificationReport } from '../../../src/iterate/verification/verification-report.ts';
import { readTodo } from '../../../src/iterate/workspace/status.ts';
import { checkSchema } from '../../../src/model/check-schema.ts';
import { contextIn, deliverablesIn } from '../../../src/phases/deliverables.ts';
import { namedPhase, readAgentResponse, readEvent } from '../../../src/phases/hook/event.ts';
import { type Reader, reader } from '../reader.ts';

const captured = (text: string) => {
  const bytes = Buffer.from(text);
  return { head: bytes, tail: bytes, bytes: bytes.length };
};
const exit = { exitCode: 0, stderrTail: '' };
const wanted = { schema: { type: 'object' }, isWish: false };

const TOOL = {
  name: 'say',
  description: '',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  does: { type: 'builtin', name: 'list_files' },
  timeoutMs: 1000,
  retries: 0,
  approve: 'never',
  parallelSafe: false,
} as unknown as Parameters<typeof checkAnswer>[1][number];

const deliverables = (answer: string, workspace: string) => deliverablesIn(answer, { workspace, sinceMs: 0 });

export const ANSWERS: readonly Reader[] = [
  reader('deliverables', deliverables),
  reader('deliverables-listed', (text, folder) => [
    deliverables(`Deliverables:\n- ${text}`, folder),
    deliverables(`Deliverables: ${text}`, folder),
    deliverables(`${text}deliverables`, folder),
  ]),
  reader('deliverables-done', (text, folder) => deliverables(`DONE|${text}`, folder)),
  reader('context-for-next', (text) => [
    contextIn(`the context for me\n${text}`),
    contextIn(`Context for next: ${text}`),
    contextIn(`${text}context for`),
  ]),
  reader('phase-named', (text) => [
    namedPhase(text),
    namedPhase(`Phase ID: ${text}`),
    namedPhase(`Phase ID: a${text}.`),
  ]),
  reader('hook-event', (text) =>
    readEvent(text, { hook_event_name: text, tool_name: text, tool_input: { prompt: text } }),
  ),
  reader('hook-response', (text) => readAgentResponse({ content: [{ type: 'text', text }] })),
  reader('answer-of-conversation', (text) => [
    readText(text),
    readText(`\`\`\`json\n${text}`),
    readText(`{"${text}`),
  ]),
  reader('answer-with-schema', (text) =>
    readAnswer({ result: { text } } as Parameters<typeof readAnswer>[0], wanted),
  ),
  reader('answer-of-command', (text) => [
    readPlain({ result: 'text' }, { exit, stdout: captured(text) }, wanted),
    readPlainAnswer({ result: 'last-line' }, captured(text)),
    readPlainAnswer({ result: 'json:a' }, captured(text)),
  ]),
  reader('captured-output', (text) =>
    (['text', 'lines', 'json'] as const).map((mode) => captureOutput(captureSource(text), mode, true)),
  ),
  reader('todo-boxes', (text) => [
    readTodo(text),
    readTodo(`- ${text}`),
    readTodo(`- [ ] ${text}`),
    readTodo(`**remaining${text}`),
  ]),
  reader('verification-report', (text) => [
    parseVerificationReport(text),
    parseVerificationReport(`## Summary\n${text}`),
    parseVerificationReport(`### Requirements Not Met\n1. ${text}`),
  ]),
  reader('tool-requests', (text) =>
    checkAnswer(
      {
        content: Array.from({ length: 10 }, (_, index) => ({
          ...{ type: 'tool_use', id: `a${index}`, name: index % 2 === 0 ? text : 'say' },
          input: { text, glob: text },
        })),
      },
      [TOOL],
      1,
    ),
  ),
  reader('schema', (text) => [
    checkSchema({ type: 'array', items: { type: 'object', required: ['x'] } }, [...text.slice(0, 2000)]),
    checkSchema({ type: 'string', maxLength: 3 }, text),
    checkSchema({ type: 'string', pattern: '^(a+)+$' }, `${text.slice(0, 100)}!`),
    ...['email', 'uri', 'date-time', 'hostname', 'ipv6', 'json-pointer', 'uuid', 'duration'].map((format) =>
      checkSchema({ type: 'string', format }, text),
    ),
  ]),
];
