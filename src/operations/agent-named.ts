import type { AgentChoice } from '../effects/contracts.ts';
import { splitWords } from '../iterate/config/split-words.ts';
import { error, ok, type Result } from '../model/result.ts';

/** A built-in agent by name; anything else is a command line that reads the prompt from standard input. */
export function agentNamed(name: string): Result<AgentChoice, string> {
  switch (name) {
    case 'claude':
    case 'gemini':
    case 'codex':
    case 'opencode':
    case 'copilot':
    case 'qwen':
    case 'mock':
      return ok({ type: 'builtin', adapter: name });
  }
  const words = splitWords(name);
  if (words.type === 'error') return words;
  const [program] = words.value;
  if (program === undefined || program === '') return error('the command is empty');
  return ok({ type: 'template', name: 'command', adapter: 'plain', argv: words.value, inputMode: 'stdin' });
}
