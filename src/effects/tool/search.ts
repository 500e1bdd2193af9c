import vm from 'node:vm';
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { findFiles } from '../../store/glob.ts';
import { readFileInside } from '../../store/safe-path.ts';

const MOST_MATCHES = 10_000;
const LONGEST_LINE = 500;
const LARGEST_FILE = 16 * 1024 * 1024;

export interface SearchRequest {
  readonly root: string;
  readonly pattern: string;
  readonly glob: string;
  readonly timeoutMs: number;
}

/** `path:line: text` of every line that matches, files in the order of their names. Files that are not text are passed over. */
export function search(request: SearchRequest): Result<string, Failure> {
  let expression: RegExp;
  try {
    expression = new RegExp(request.pattern, 'u');
  } catch (cause) {
    return error({ type: 'unusable-values', reasons: [`\`pattern\`: ${(cause as Error).message}`] });
  }
  const files = findFiles(request.root, request.glob);
  if (files.type === 'error') return files;
  const endsAt = performance.now() + request.timeoutMs;
  const match = createMatcher(expression);
  const found: string[] = [];
  for (const file of files.value) {
    const text = textOf(request.root, file);
    if (text === undefined) continue;
    const left = Math.floor(endsAt - performance.now());
    const lines = left < 1 ? undefined : match(text, left);
    if (lines === undefined) return error({ type: 'timed-out', afterMs: request.timeoutMs });
    for (const { number, line } of lines) {
      found.push(`${file}:${number}: ${line.slice(0, LONGEST_LINE)}`);
      if (found.length >= MOST_MATCHES) return ok(`${found.join('\n')}\n[only the first ${MOST_MATCHES}]\n`);
    }
  }
  return ok(found.length === 0 ? 'no line matches\n' : `${found.join('\n')}\n`);
}

interface Line {
  readonly number: number;
  readonly line: string;
}

/** Runs in a context of its own for one reason: only there can an expression that never comes to an end be stopped. */
function createMatcher(expression: RegExp): (text: string, timeoutMs: number) => readonly Line[] | undefined {
  const inside = { lines: [] as readonly string[], expression, matching: [] as number[] };
  const context = vm.createContext(inside);
  const script = new vm.Script(
    'lines.forEach((line, index) => { if (expression.test(line)) matching.push(index); })',
  );
  return (text, timeoutMs) => {
    inside.lines = text.split(/\r?\n/);
    inside.matching = [];
    try {
      script.runInContext(context, { timeout: timeoutMs });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
      throw cause;
    }
    return inside.matching.map((index) => ({ number: index + 1, line: inside.lines[index] ?? '' }));
  };
}

function textOf(root: string, file: string): string | undefined {
  const bytes = readFileInside(root, file);
  if (bytes.type === 'error' || bytes.value.length > LARGEST_FILE || bytes.value.includes(0))
    return undefined;
  return bytes.value.toString('utf8');
}
