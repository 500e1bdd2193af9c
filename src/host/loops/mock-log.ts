import os from 'node:os';
import { join } from 'node:path';
import type { RunEvent } from '../../model/event.ts';
import { isJsonObject } from '../../model/json.ts';
import { realPath } from '../../store/own-path.ts';
import { appendPlain } from '../../store/plain-file.ts';
import type { LoopListener } from './loop-listener.ts';

function mockLogPath(): string {
  return join(realPath(os.tmpdir()), 'mock-claude.log');
}

/** Logs prompts and answers of the mock agent in the system's temporary folder. */
export function createMockLog(onProblem: (problem: string) => void): LoopListener {
  let hasFailed = false;
  const write = (text: string): void => {
    if (hasFailed) return;
    try {
      appendPlain(mockLogPath(), text);
    } catch (cause) {
      hasFailed = true;
      onProblem(`cannot write \`${mockLogPath()}\`: ${(cause as Error).message}`);
    }
  };
  return {
    event(event: RunEvent) {
      if (event.type === 'step-started' && event.effect === 'run-agent')
        write(`[${event.at}] ${event.key} PROMPT\n${promptIn(event.input)}\n`);
      if (event.type === 'step-ended' && event.effect === 'run-agent' && isJsonObject(event.output))
        write(`[${event.at}] ${event.key} ANSWER\n${String(event.output['answer'] ?? '')}\n\n`);
    },
    close() {},
  };
}

function promptIn(input: unknown): string {
  const parts = isJsonObject(input) && Array.isArray(input['prompt']) ? input['prompt'] : [];
  return parts.map((part) => (isJsonObject(part) ? String(part['text'] ?? '') : '')).join('');
}
