/**
 * The commands of `pre_analysis`. `bash(…)` is run; `Read(path)`, `Glob(pattern)` and `Grep(pattern, path)` are done by the program, with
 * the forms of arguments that agents use for these tools. Anything else, such as `mcp__…`, only an agent can do.
 */
import { defined } from '../../model/defined.ts';

export type Command =
  | { readonly type: 'bash'; readonly script: string }
  | { readonly type: 'read'; readonly path: string }
  | { readonly type: 'glob'; readonly pattern: string; readonly path?: string }
  | { readonly type: 'grep'; readonly pattern: string; readonly path?: string }
  /** Passed on to the agent as context to gather. */
  | { readonly type: 'for-agent'; readonly text: string };

/** The script inside `bash(…)`; undefined if the command has another form. */
export function scriptOf(command: string): string | undefined {
  return /^\s*[Bb]ash\(([\s\S]*)\)\s*$/.exec(command)?.[1];
}

/**
 * Whether the script is one pipeline that ends with a search. Such a script exits with 1 if nothing is found, which is a result. With
 * `-q` it is a check, and 1 a failure.
 */
export function isSearch(script: string): boolean {
  const bare = script
    .replace(/'[^']*'|"(?:[^"\\]|\\.)*"|\\[\s\S]/g, '_')
    .replace(/\d?>&\d|\d?>\s*\/dev\/null/g, '');
  if (/[;&\n`(]|\|\|/.test(bare.trim())) return false;
  const last = bare.split('|').at(-1)?.trim() ?? '';
  return (
    /^(?:git\s+grep|[ef]?grep|rg|ag)\s/.test(last) &&
    !/\s(?:-[A-Za-z]*q[A-Za-z]*|--quiet|--silent)(?:\s|$)/.test(last)
  );
}

export function parseCommand(text: string): Command {
  const script = scriptOf(text);
  if (script !== undefined) return { type: 'bash', script };
  const [, tool, inside] = /^\s*(Read|Glob|Grep|Search)\(([\s\S]*)\)\s*$/.exec(text) ?? [];
  const forAgent: Command = { type: 'for-agent', text: text.trim() };
  if (tool === undefined || inside === undefined) return forAgent;
  const given = argumentsOf(inside);
  if (tool === 'Read') {
    const path = isPlain(inside) ? inside.trim() : (given.named.get('file_path') ?? given.first('path'));
    // `Read(data.json | jq .x)` is a wish that only an agent can understand.
    return path === undefined || path === '' || path.includes('|') ? forAgent : { type: 'read', path };
  }
  const pattern = tool === 'Glob' && isPlain(inside) ? inside.trim() : given.first('pattern');
  if (pattern === undefined || pattern === '') return forAgent;
  const path = given.named.get('path') ?? (tool !== 'Glob' ? given.positional[1] : undefined);
  return { type: tool === 'Glob' ? 'glob' : 'grep', pattern, ...defined({ path }) };
}

/** A call of an agent's tool, not of a shell: `mcp__server__tool(…)`, `Read(…)`. */
export function isToolCall(command: string): boolean {
  return /^\s*(?:mcp__\w+|Read|Write|Edit|Glob|Grep|Search|Task|Skill)\(/.test(command);
}

/** One argument without quotes or a name: commas are part of it. */
function isPlain(inside: string): boolean {
  return !/["']/.test(inside) && !/^\s*\w+\s*=/.test(inside);
}

interface Arguments {
  readonly named: ReadonlyMap<string, string>;
  readonly positional: readonly string[];
  first(name: string): string | undefined;
}

/** `pattern="a, b", path=src` or `"a, b", src`. */
function argumentsOf(inside: string): Arguments {
  const named = new Map<string, string>();
  const positional: string[] = [];
  const each = /\s*(?:(\w+)\s*=\s*)?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^,]*)\s*(?:,|$)/y;
  while (each.lastIndex < inside.length) {
    const found = each.exec(inside);
    if (found === null) {
      positional.push(inside.slice(each.lastIndex).trim());
      break;
    }
    const [, name, value = ''] = found;
    if (name === undefined) positional.push(unquoted(value));
    else named.set(name, unquoted(value));
  }
  return { named, positional, first: (name) => named.get(name) ?? positional[0] };
}

function unquoted(text: string): string {
  const [, inside] = /^\s*(?:"([\s\S]*)"|'[\s\S]*')\s*$/.exec(text) ?? [];
  if (inside !== undefined) return inside.replaceAll('\\"', '"');
  return text.trim().replace(/^'([\s\S]*)'$/, '$1');
}
