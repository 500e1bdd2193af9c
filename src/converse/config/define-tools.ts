/** The tools of `tools.yaml`, checked and with defaults filled in. */
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { nearest } from '../../model/suggest.ts';
import type { ConfigFile } from '../../store/yaml/read-config-file.ts';
import { createReport, type Report } from '../../store/yaml/report.ts';
import { quoteWords } from '../../template/quote.ts';
import { type Reference, referencesOf } from '../../template/template.ts';
import type { Tool } from '../input.ts';
import { BUILTINS } from '../tools/builtins.ts';
import { parseToolCommand } from '../tools/command.ts';
import { inputSchemaProblems } from './check-input-schema.ts';
import type { ConverseCode } from './codes.ts';
import type { ToolSource } from './schema.ts';

const DEFAULT_TIMEOUT_SEC = 120;

type ToolsFile = ConfigFile<readonly ToolSource[] | { readonly tools: readonly ToolSource[] }>;

interface Check {
  readonly file: ToolsFile;
  readonly report: Report<ConverseCode>;
}

/** Unusable tools are reported and omitted. */
export function defineTools(file: ToolsFile): readonly Tool[] {
  const check: Check = { file, report: createReport<ConverseCode>(file.diagnostics) };
  const sources = 'tools' in file.source ? file.source.tools : file.source;
  const seen = new Map<string, ToolSource>();
  const tools: Tool[] = [];
  for (const source of sources) {
    const first = seen.get(source.name);
    if (first !== undefined && source.name !== '') {
      check.report.error('converse/duplicate-tool', file.places.valueRange(source, 'name'), {
        message: `duplicate tool \`${source.name}\``,
        related: [{ message: 'first defined here', range: file.places.valueRange(first, 'name') }],
      });
    }
    seen.set(source.name, source);
    const tool = defineTool(check, source);
    if (tool !== undefined) tools.push(tool);
  }
  return tools;
}

function defineTool(check: Check, source: ToolSource): Tool | undefined {
  const { command, builtin } = source;
  if ((command === undefined) === (builtin === undefined)) {
    check.report.error('converse/tool-kind', check.file.places.valueRange(source, 'name'), {
      message:
        command === undefined
          ? `tool \`${source.name}\` has neither \`command\` nor \`builtin\``
          : `tool \`${source.name}\` has both \`command\` and \`builtin\``,
      help: 'give it a `command` (a list of arguments) or a `builtin`',
    });
    return undefined;
  }
  const inputSchema = schemaOf(check, source);
  if (command !== undefined) checkCommand(check, source, command);
  return {
    name: source.name,
    description: source.description ?? describe(source),
    inputSchema,
    does:
      builtin === undefined ? { type: 'command', argv: command ?? [] } : { type: 'builtin', name: builtin },
    timeoutMs: Math.round((source.timeout_sec ?? DEFAULT_TIMEOUT_SEC) * 1000),
    retries: source.retries ?? 0,
    parallelSafe: source.parallel_safe ?? false,
    approve: source.approve ?? 'never',
  };
}

function describe({ builtin, command }: ToolSource): string {
  return builtin === undefined ? `Runs ${quoteWords(command ?? [])}` : BUILTINS[builtin].description;
}

function schemaOf(check: Check, source: ToolSource): JsonObject {
  const { input_schema: given, builtin } = source;
  if (given === undefined) return builtin === undefined ? { type: 'object' } : BUILTINS[builtin].inputSchema;
  const [problem] = inputSchemaProblems(given);
  if (problem !== undefined) {
    check.report.error('converse/bad-schema', check.file.places.keyRange(source, 'input_schema'), {
      message: `the \`input_schema\` of \`${source.name}\` cannot be used: ${problem}`,
    });
  }
  return given;
}

function checkCommand(check: Check, source: ToolSource, argv: readonly string[]): void {
  const parsed = parseToolCommand(argv);
  const range = (index: number, part: { readonly start: number; readonly end: number }) =>
    check.file.places.partRange(argv, index, { text: argv[index] ?? '', start: part.start, end: part.end });
  for (const { argument, ...problem } of parsed.problems) {
    check.report.error(problem.code as ConverseCode, range(argument, problem), {
      message: problem.message,
      help: problem.help,
    });
  }
  for (const [index, { template }] of parsed.arguments.entries()) {
    for (const reference of referencesOf(template)) {
      const help = unknownInput(source, reference);
      if (help === undefined) continue;
      check.report.error('template/unknown-token', range(index, reference), {
        message: `unknown input \`${reference.path.slice(1).join('.')}\`: it is not in the \`input_schema\` of \`${source.name}\``,
        help,
      });
    }
  }
}

/** Help for a member that is not in the schema. */
function unknownInput(source: ToolSource, reference: Reference): string | undefined {
  const [, member] = reference.path;
  const properties = source.input_schema?.['properties'];
  if (!isJsonObject(properties)) {
    return member === undefined ? 'name the member: `{{input.x}}`' : undefined;
  }
  if (member !== undefined && Object.hasOwn(properties, member)) return undefined;
  const near = nearest(member ?? '', Object.keys(properties));
  return near === undefined
    ? `valid members: ${Object.keys(properties)
        .map((one) => `\`${one}\``)
        .join(', ')}`
    : `did you mean \`{{input.${near}}}\`?`;
}
