import type { ToolAction } from '../../effects/contracts.ts';
import type { JsonObject } from '../../model/json.ts';
import type { BuiltinName } from '../input.ts';

export interface Builtin {
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** Changes nothing, so it may run in a dry run. */
  readonly onlyReads: boolean;
  /** The input has already been checked against the schema. */
  action(input: JsonObject): ToolAction;
}

const text = (description: string): JsonObject => ({ type: 'string', description });
const object = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

export const BUILTINS: { readonly [Name in BuiltinName]: Builtin } = {
  read_file: {
    description:
      'Reads a text file. Returns at most 64 KiB; use `offset` and `limit` (in bytes) to read further.',
    inputSchema: object(
      {
        path: text('Relative to the root.'),
        offset: { type: 'integer', minimum: 0 },
        limit: { type: 'integer', minimum: 1 },
      },
      ['path'],
    ),
    onlyReads: true,
    action: ({ path, offset, limit }) => ({
      type: 'read-file',
      path: String(path),
      ...(typeof offset === 'number' ? { offset } : {}),
      ...(typeof limit === 'number' ? { limit } : {}),
    }),
  },
  write_file: {
    description: 'Writes a complete text file, replacing an existing one; creates missing folders.',
    inputSchema: object({ path: text('Relative to the root.'), content: text('The complete content.') }, [
      'path',
      'content',
    ]),
    onlyReads: false,
    action: ({ path, content }) => ({ type: 'write-file', path: String(path), content: String(content) }),
  },
  list_files: {
    description: 'Lists the files that match a glob such as `src/**/*.ts`.',
    inputSchema: object({ glob: text('Relative to the root (default: `**`).') }, []),
    onlyReads: true,
    action: ({ glob }) => ({ type: 'list-files', glob: globOf(glob) }),
  },
  search: {
    description: 'Finds the lines that match a regular expression, in the files that match a glob.',
    inputSchema: object({ pattern: text('A JavaScript regular expression.'), glob: text('Default: `**`.') }, [
      'pattern',
    ]),
    onlyReads: true,
    action: ({ pattern, glob }) => ({ type: 'search', pattern: String(pattern), glob: globOf(glob) }),
  },
  run_command: {
    description: 'Runs a program with arguments. There is no shell: no pipes, no globs, no variables.',
    inputSchema: object(
      {
        argv: {
          type: 'array',
          items: { type: 'string' },
          minItems: 1,
          description: 'Program and arguments.',
        },
      },
      ['argv'],
    ),
    onlyReads: false,
    action: ({ argv }) => ({ type: 'command', argv: Array.isArray(argv) ? argv.map(String) : [] }),
  },
};

function globOf(value: JsonObject[string]): string {
  return typeof value === 'string' && value !== '' ? value : '**';
}
