import fs from 'node:fs';
import { basename } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { describeFailure } from '../../model/describe-failure.ts';
import { isSafeName } from '../../model/ids.ts';
import { type JsonValue, parseJsonObject } from '../../model/json.ts';
import { printable, printableLine } from '../../report/text/printable.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { documentText } from '../../store/document.ts';
import { keepAside } from '../../store/keep-aside.ts';
import { atPlace } from '../../store/pin-inside.ts';
import { readPlainText } from '../../store/plain-file.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { collect } from '../run-options.ts';
import { loadStatus, type PlacedProblem } from '../status/load-status.ts';
import { parseStatus, pathText, STATUS_SCHEMA, type StatusDocument } from '../status/status-document.ts';

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

export function define(command: Command, context: CliContext): void {
  command.addHelpText(
    'after',
    '\nExample:\n  orchestrate status write --agent engineer --step Build --success true --output artifacts/engineer/app.py\n  orchestrate status validate artifacts/*/status.json',
  );
  command
    .command('write')
    .description('Writes a status file, as a whole or not at all, and prints where.')
    .requiredOption('--agent <name>', 'whose status it is')
    .option('--step <name>', 'the step it speaks of; inside a step: that step')
    .requiredOption('--success <true|false>', 'whether it went well', trueOrFalse)
    .option('--exit-code <n>', '0 or 1 as `--success` says, unless given', wholeOrNegative)
    .option('--output <path>', 'a file that was made (repeatable)', collect)
    .option('--metric <name=value>', 'a figure (repeatable)', collect)
    .option('--next <agent=file>', 'who is to go on with which file (repeatable)', collect)
    .option('--message <text>', 'for people')
    .option('--run <id>', 'the run it belongs to; inside a step: that run')
    .option('--correlation-id <id>', 'what ties it to others')
    .option('--file <path>', 'where to write it; artifacts/<agent>/status.json unless given')
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate status write --agent engineer --step Build --success true --metric files=3 --next qa=inbox/qa/review.task',
    )
    .action((flags: WriteFlags) => {
      context.exitCode = write(context, flags);
    });
  command
    .command('read <file>')
    .description('Reads and checks a status file, and prints what it says.')
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  orchestrate status read artifacts/engineer/status.json')
    .action((file: string, flags: { readonly json?: boolean }) => {
      const loaded = loadStatus(file, context.workspace);
      if (loaded.type === 'error') {
        context.exitCode = tell(context, file, loaded.error);
        return;
      }
      context.out(flags.json === true ? documentText(loaded.value) : summary(loaded.value));
    });
  command
    .command('validate <files...>')
    .description('Checks status files and says all that is wrong with them.')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  orchestrate status validate artifacts/*/status.json')
    .action((files: readonly string[], flags: { readonly json?: boolean }) =>
      validate(context, files, flags.json === true),
    );
}

function write(context: CliContext, flags: WriteFlags): number {
  const { agent } = flags;
  if (!isSafeName(agent)) return refuse(context, [`\`${agent}\` is no name for an agent`]);
  const step = flags.step ?? process.env['ORCHESTRATE_STEP'];
  if (step === undefined) return refuse(context, ['there is no step'], 'name it with `--step`');
  const metrics = pairs(flags.metric);
  const next = pairs(flags.next);
  if (metrics === undefined || next === undefined)
    return refuse(
      context,
      ['`--metric` and `--next` need a name, `=` and a value'],
      'for example `--metric files=3`',
    );
  const runId = flags.run ?? process.env['ORCHESTRATE_RUN_ID'];
  const status = {
    schema: STATUS_SCHEMA,
    ...(flags.correlationId === undefined ? {} : { correlation_id: flags.correlationId }),
    agent,
    ...(runId === undefined ? {} : { run_id: runId }),
    step,
    timestamp: new Date().toISOString(),
    success: flags.success,
    exit_code: flags.exitCode ?? (flags.success ? 0 : 1),
    outputs: flags.output ?? [],
    metrics: Object.fromEntries(metrics.map(([name, value]) => [name, metricValue(value)])),
    next_actions: next.map(([name, file]) => ({ agent: name, file })),
    ...(flags.message === undefined ? {} : { message: flags.message }),
  };
  const checked = parseStatus(status as unknown as JsonValue, context.workspace);
  if (checked.type === 'error')
    return refuse(
      context,
      checked.error.map(({ path, message }) => `${pathText(path)}: ${message}`),
    );
  return save(context, flags.file ?? `artifacts/${agent}/status.json`, status);
}

function save(context: CliContext, file: string, status: object): number {
  const written = atPlace(context.workspace, file, {
    ...{ operation: 'write', makeFolders: true },
    use: (path) => {
      const kept = isForeign(path) ? basename(keepAside(path)) : undefined;
      replaceFile(path, documentText(status), { mode: 0o644 });
      return kept;
    },
  });
  if (written.type === 'error') {
    if (written.error.type !== 'file') return refuse(context, [describeFailure(written.error)]);
    context.err(`error: ${describeFailure(written.error)}\n`);
    return EXIT.failed;
  }
  const kept = written.value;
  if (kept !== undefined) context.err(`note: kept \`${file}\` as \`${kept}\`: it was not a status file\n`);
  context.out(`${file}\n`);
  return EXIT.done;
}

/** Something else than a status stands there. */
function isForeign(path: string): boolean {
  if (!fs.existsSync(path)) return false;
  const text = readPlainText(path);
  return text !== '' && parseJsonObject(text)?.['schema'] !== STATUS_SCHEMA;
}

function validate(context: CliContext, files: readonly string[], asJson: boolean): void {
  const results = files.map((file) => {
    const loaded = loadStatus(file, context.workspace);
    return { file, problems: loaded.type === 'ok' ? [] : loaded.error };
  });
  if (asJson) {
    const told = results.map(({ file, problems }) => ({ file, valid: problems.length === 0, problems }));
    context.out(`${JSON.stringify(told, null, 2)}\n`);
  }
  for (const { file, problems } of results) {
    if (problems.length > 0) context.exitCode = EXIT.usage;
    if (asJson) continue;
    if (problems.length === 0) context.err(`${file} is valid\n`);
    else tell(context, file, problems);
  }
}

function tell(context: CliContext, file: string, problems: readonly PlacedProblem[]): number {
  for (const { path, line, column, message } of problems) {
    const place = line === undefined ? file : `${file}:${line}:${column}`;
    context.err(`error: ${place}: ${path === undefined ? '' : `\`${path}\` `}${printableLine(message)}\n`);
  }
  return EXIT.usage;
}

function refuse(context: CliContext, problems: readonly string[], help?: string): number {
  for (const problem of problems) context.err(`error: ${printableLine(problem)}\n`);
  if (help !== undefined) context.err(`help: ${help}\n`);
  return EXIT.usage;
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

/** Split at the first `=`; undefined when one has none. */
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
  // One that is too large for a number would be written as null.
  return isNumber && Number.isFinite(Number(text)) ? Number(text) : text;
}

function trueOrFalse(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('it must be true or false.');
  return text === 'true';
}

function wholeOrNegative(text: string): number {
  if (!/^-?\d{1,5}$/.test(text)) throw new InvalidArgumentError('it must be a whole number.');
  return Number(text);
}
