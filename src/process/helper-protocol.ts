/**
 * The protocol between the program and its spawn helper.
 *
 * To the helper: messages of NUL-terminated fields, each preceded by its length in eight hexadecimal digits; the first field is the type.
 *
 *   environment  NAME=value…   once: the base from which later requests differ slightly
 *   start        id cwd stdin stdout stderr stamp count argument… [NAME=value | NAME]…   a NAME without a value is removed
 *
 * From the helper: lines of words.
 *
 *   ready
 *   starting id               sent before starting: after this alone, it is unknown whether the process was started
 *   started id pid start-time
 *   refused id errno [0|1|2]  the last: which of its three files; omitted: the program itself
 *   exited id code            or, after a signal, `exited id - number`
 */
import type { StartRequest } from './spawner.ts';

type Environment = StartRequest['env'];

const LENGTH_DIGITS = 8;

/** Undefined if a text contains a NUL or no program is named: such a request is started directly, which reports the error. */
export function encodeStart(id: number, request: StartRequest, base: Environment): Buffer | undefined {
  const { argv, cwd, env, mark, stdin, stdout, stderr } = request;
  if (argv[0] === undefined || argv[0] === '') return undefined;
  const changes: string[] = [];
  for (const name in env) if (base[name] !== env[name]) changes.push(`${name}=${env[name]}`);
  for (const name in base) if (env[name] === undefined) changes.push(name);
  const files = [stdin.path, stdout.path, stderr.path];
  return encode(['start', String(id), cwd, ...files, mark, String(argv.length), ...argv, ...changes]);
}

export function encodeEnvironment(env: Environment): Buffer | undefined {
  return encode(['environment', ...Object.entries(env).map(([name, value]) => `${name}=${value}`)]);
}

/** NUL-terminated; undefined if one of them contains a NUL. */
export function joinFields(fields: readonly string[]): string | undefined {
  const body = `${fields.join('\0')}\0`;
  return body.split('\0').length === fields.length + 1 ? body : undefined;
}

function encode(fields: readonly string[]): Buffer | undefined {
  const body = joinFields(fields);
  if (body === undefined) return undefined;
  const length = Buffer.byteLength(body).toString(16).padStart(LENGTH_DIGITS, '0');
  return Buffer.from(length + body);
}

/** Calls `take` with the fields of every complete message; a message may arrive in any number of pieces. */
export function readMessages(take: (fields: readonly string[]) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= LENGTH_DIGITS) {
      const end = LENGTH_DIGITS + Number.parseInt(rest.toString('latin1', 0, LENGTH_DIGITS), 16);
      if (rest.length < end) return;
      take(rest.toString('utf8', LENGTH_DIGITS, end - 1).split('\0'));
      rest = rest.subarray(end);
    }
  };
}

/** Calls `take` with the words of every complete line; a line may arrive in any number of pieces. */
export function readLines(take: (words: readonly string[]) => void): (chunk: string) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line.split(' '));
  };
}
