/** Problems with requests before an operation is called, and with what serves them. */
import { form, quoted, said } from '../../model/problem-form.ts';

interface OfTool {
  readonly tool: string;
}

/** What an address of the page may name that is not there. */
const NOTHING_THERE = {
  address: 'there is nothing at this address',
  workspace: 'there is no such workspace',
  run: 'there is no such run',
  step: 'the run has no such step',
  question: 'the run is not waiting for an answer to this question',
  log: 'this step has no such log',
  'readable-log': 'this log cannot be read',
  prompt: 'this step has no prompt',
  response: 'this step has no response',
  diff: 'this step has no diff',
  transcript: 'this step has no transcript',
  file: 'no such file',
};

export type Addressed = keyof typeof NOTHING_THERE;

export const doorProblems = () => ({
  /** The process that was to carry out the run has said why it does not. */
  'run-not-started': form(
    'failed',
    ({ reason, remedy }: { readonly reason: string; readonly remedy?: string }) =>
      said(reason === '' ? 'the run could not be started' : reason, remedy),
  ),
  'run-held-elsewhere': form('held', ({ reason }: { readonly reason: string }) =>
    said(reason === '' ? 'the run could not be started' : reason),
  ),
  'report-not-made': form('failed', ({ reason }: { readonly reason: string }) =>
    said(`the report could not be made: ${reason}`),
  ),
  bug: form('failed', ({ reason }: { readonly reason: string }) => said(`internal error: ${reason}`)),

  'nothing-there': form('not-found', ({ what }: { readonly what: Addressed }) => said(NOTHING_THERE[what])),
  'read-only-page': form('invalid', () => said('this page is read-only')),
  'not-an-action': form('invalid', () => said('send actions to `actions`')),
  'too-many-streams': form('failed', ({ most }: { readonly most: number }) =>
    said(`there are already ${most} open streams`),
  ),
  'nothing-to-search-for': form('invalid', () => said('what to search for is missing')),

  'unknown-command': form(
    'invalid',
    ({ command, commands }: { readonly command: string; readonly commands: readonly string[] }) =>
      said(`unknown command \`${command}\``, `use one of ${commands.join(', ')}`),
  ),
  'missing-field': form(
    'invalid',
    ({ field, meaning }: { readonly field: string; readonly meaning?: string }) =>
      said(`\`${field}\` is missing`, meaning),
  ),
  'invalid-priority': form(
    'invalid',
    ({ lowest, highest }: { readonly lowest: number; readonly highest: number }) =>
      said(`\`priority\` must be a whole number from ${lowest} to ${highest}`),
  ),

  'unknown-tool': form(
    'invalid',
    ({
      tool,
      near,
      tools,
    }: OfTool & { readonly near?: string | undefined; readonly tools: readonly string[] }) =>
      said(
        `unknown tool \`${tool}\`${near === undefined ? '' : `; did you mean \`${near}\`?`}`,
        `tools: ${tools.join(', ')}`,
      ),
  ),
  'only-and-allow': form('invalid', () =>
    said('`--only` and `--allow` cannot be combined', 'name all tools in `--only`'),
  ),
  'tool-does-not-only-read': form('invalid', ({ tool }: OfTool) =>
    said(`\`${tool}\` does not only read`, 'leave out `--read-only` or the tool'),
  ),
  'tool-not-allowed': form(
    'conflict',
    ({ tool, reason }: OfTool & { readonly reason?: string | undefined }) =>
      said(
        `\`${tool}\` is not allowed here${reason === undefined ? '' : `: ${reason}`}`,
        reason === undefined
          ? 'ask the user to start the server with other options'
          : `ask the user, who can start the server with \`orchestrate mcp --allow ${tool}\``,
      ),
  ),
  'invalid-arguments': form(
    'invalid',
    ({ faults, expected }: { readonly faults: readonly string[]; readonly expected: readonly string[] }) =>
      said(faults.join('; '), expected.join('; ')),
  ),
  'different-arguments': form('invalid', ({ names }: { readonly names: readonly string[] }) =>
    said(`${quoted(names).replace(', ', ' and ')} differ`, 'give one of them'),
  ),
  'not-a-time': form('invalid', ({ name, given }: { readonly name: string; readonly given: string }) =>
    said(`\`${name}\` is not a time: \`${given}\``, 'write it like `2026-01-31T12:00:00Z`'),
  ),
  'unknown-resource': form('not-found', ({ uri }: { readonly uri: string }) =>
    said(`unknown resource \`${uri}\``),
  ),

  'port-in-use': form('held', ({ port }: { readonly port: number }) =>
    said(`port ${port} is in use`, 'choose another with `--port`, or any free one with `--port 0`'),
  ),
  'cannot-listen': form(
    'invalid',
    ({ host, port, code }: { readonly host: string; readonly port: number; readonly code: string }) =>
      said(`cannot listen on ${host}:${port}: ${code}`),
  ),
});
