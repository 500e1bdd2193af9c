import { type Command, InvalidArgumentError } from 'commander';

import { readStatus } from '../../operations/statuses/read-status.ts';
import type { StatusDocument } from '../../operations/statuses/status-document.ts';
import { validateStatuses } from '../../operations/statuses/validate-statuses.ts';
import { writeStatus } from '../../operations/statuses/write-status.ts';
import { printable } from '../../report/text/printable.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { agentPaths, path, paths } from '../path-argument.ts';
import { refuse } from '../refuse.ts';
import { collect } from '../run-options.ts';
import { siteOf } from '../site.ts';

interface WriteFlags {
  readonly agent: string;
  readonly step?: string;
  readonly success: boolean;
  readonly exitCode?: number;
  readonly output?: readonly string[];
  readonly metric?: readonly string[];
  readonly next?: readonly string[];
  readonly message?: string;
  readonly run?: string;
  readonly correlationId?: string;
  readonly file?: string;
}

interface JsonFlag {
  readonly json?: boolean;
}

export function define(command: Command, context: CliContext): void {
  command.addHelpText(
    'after',
    '\nExample:\n  orchestrate status write --agent engineer --step Build --success true --output artifacts/engineer/app.py\n  orchestrate status validate artifacts/*/status.json',
  );
  command
    .command('write')
    .summary('write a status file')
    .description('Write a status file atomically and print its path.')
    .requiredOption('--agent <name>', 'agent the status is about')
    .option('--step <name>', 'step the status is about (default: the current step)')
    .requiredOption('--success <true|false>', 'whether the step succeeded', trueOrFalse)
    .option('--exit-code <n>', 'exit code (default: 0 or 1, depending on `--success`)', wholeOrNegative)
    .option('--output <path>', 'file that was written (repeatable)', paths)
    .option('--metric <name=value>', 'metric to record (repeatable)', collect)
    .option('--next <agent=file>', 'agent that continues, and the file to work on (repeatable)', agentPaths)
    .option('--message <text>', 'message for people')
    .option('--run <id>', 'run the status belongs to (default: the current run)')
    .option('--correlation-id <id>', 'id shared by related statuses')
    .option('--file <path>', 'file to write (default: artifacts/<agent>/status.json)', path)
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate status write --agent engineer --step Build --success true --metric files=3 --next qa=inbox/qa/review.task',
    )
    .action((flags: WriteFlags) => {
      context.exitCode = write(context, flags);
    });
  command
    .command('read')
    .summary('validate and print a status file')
    .description('Validate a status file and print its contents.')
    .argument('<file>', 'status file', path)
    .option('--json', 'print as JSON')
    .addHelpText('after', '\nExample:\n  orchestrate status read artifacts/engineer/status.json')
    .action((file: string, flags: JsonFlag) => {
      context.exitCode = read(context, file, flags);
    });
  command
    .command('validate')
    .summary('validate status files')
    .description('Validate status files and report every error.')
    .argument('<files...>', 'status files', paths)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  orchestrate status validate artifacts/*/status.json')
    .action((files: readonly string[], flags: JsonFlag) => {
      context.exitCode = validate(context, files, flags);
    });
}

function write(context: CliContext, flags: WriteFlags): number {
  const metrics = pairs(flags.metric);
  const next = pairs(flags.next);
  if (metrics === undefined || next === undefined) return refuse(context, { type: 'not-pairs' });
  const { agent, step, success, exitCode, output, message, run, correlationId, file } = flags;
  const written = writeStatus(siteOf(context), {
    ...{ agent, step, success, exitCode, outputs: output, message, run, correlationId, file },
    metrics: Object.fromEntries(metrics.map(([name, value]) => [name, metricValue(value)])),
    next: next.map(([name, path]) => ({ agent: name, file: path })),
  });
  if (written.type === 'error') return refuse(context, written.error);
  const { file: path, keptAs } = written.value;
  if (keptAs !== undefined)
    context.err(`note: kept \`${path}\` as \`${keptAs}\`: it was not a status file\n`);
  context.out(`${path}\n`);
  return EXIT.done;
}

function read(context: CliContext, file: string, { json }: JsonFlag): number {
  const status = readStatus(siteOf(context), { file });
  if (status.type === 'error') return refuse(context, status.error);
  context.out(json === true ? `${JSON.stringify(status.value, null, 2)}\n` : summary(status.value));
  return EXIT.done;
}

function validate(context: CliContext, files: readonly string[], { json }: JsonFlag): number {
  const validated = validateStatuses(siteOf(context), { files });
  if (validated.type === 'error') return refuse(context, validated.error);
  const results = validated.value;
  if (json === true) {
    const data = results.map(({ file, faults }) => ({ file, valid: faults.length === 0, problems: faults }));
    context.out(`${JSON.stringify(data, null, 2)}\n`);
  } else
    for (const { file, faults } of results) {
      if (faults.length === 0) context.err(`${file} is valid\n`);
      else refuse(context, { type: 'invalid-status', file, faults });
    }
  return results.every(({ faults }) => faults.length === 0) ? EXIT.done : EXIT.usage;
}

function summary(status: StatusDocument): string {
  const lines = [
    `${status.success ? '✓' : '✗'} ${status.agent}: ${status.step}`,
    `  ${status.timestamp}, exit code ${status.exit_code}`,
    ...(status.run_id === undefined ? [] : [`  run ${status.run_id}`]),
    ...(status.message === undefined ? [] : [`  ${status.message}`]),
    ...(status.outputs ?? []).map((output) => `  output: ${output}`),
    ...Object.entries(status.metrics ?? {}).map(([name, value]) => `  ${name}: ${value}`),
    ...(status.next_actions ?? []).map((action) => `  next: ${action.agent} with ${action.file}`),
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

/** Splits each at the first `=`; undefined if one has no `=`. */
function pairs(texts: readonly string[] | undefined): readonly (readonly [string, string])[] | undefined {
  const split = (texts ?? []).map((text) => {
    const at = text.indexOf('=');
    return [text.slice(0, Math.max(0, at)), text.slice(at + 1)] as const;
  });
  return split.every(([name]) => name !== '') ? split : undefined;
}

function metricValue(text: string): number | boolean | string {
  if (text === 'true' || text === 'false') return text === 'true';
  const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
  // A number that is too large would be written as null.
  return isNumber && Number.isFinite(Number(text)) ? Number(text) : text;
}

function trueOrFalse(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('must be true or false');
  return text === 'true';
}

function wholeOrNegative(text: string): number {
  if (!/^-?\d{1,5}$/.test(text)) throw new InvalidArgumentError('must be a whole number');
  return Number(text);
}
