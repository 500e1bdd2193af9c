/** The rules that guard the page of `orchestrate serve` (S1–S11), each left out once. */
import type { Mutant } from './mutant.ts';

const GUARD = 'src/http/requests/guard.ts';
const GUARD_TEST = 'test/http/guard.test.ts';

/** A rule without which this test must fail. */
function rule(
  name: string,
  planted: Omit<Mutant, 'name' | 'suites' | 'tests'>,
  title: string,
  file = GUARD_TEST,
): Mutant {
  return { name: `page-${name}`, ...planted, tests: [{ file, title }] };
}

export const PAGE_MUTANTS: readonly Mutant[] = [
  rule(
    's1-any-address',
    {
      title: 'the page listens on every address by default (S1)',
      file: 'src/cli/commands/serve.ts',
      text: "    host: flags.host ?? '127.0.0.1',",
      replacement: "    host: flags.host ?? '0.0.0.0',",
    },
    'is loopback, unless other machines are allowed',
  ),
  rule(
    's1-remote-unasked',
    {
      title: 'another address needs no `--allow-remote` (S1)',
      file: 'src/cli/commands/serve.ts',
      text: "  if (allowRemote !== true) return { type: 'remote-not-allowed', host };\n",
      replacement: '',
    },
    'is loopback, unless other machines are allowed',
  ),
  rule(
    's2-any-host',
    {
      title: 'a request for any host name is answered (S2)',
      file: GUARD,
      text: 'if (!this.#origins().some((origin) => hostOf(origin) === host))',
      replacement: "if (host === 'nobody')",
    },
    'refuses every host but its own',
  ),
  rule(
    's2-any-port',
    {
      title: 'the port of a host name is ignored (S2)',
      file: GUARD,
      text: 'hostOf(origin) === host)',
      replacement: "hostOf(origin).split(':')[0] === host.split(':')[0])",
    },
    'refuses every host but its own',
  ),
  rule(
    's2-host-of-a-workspace',
    {
      title: 'a file of the workspace adds a host name (S2)',
      file: 'src/cli/commands/serve.ts',
      text: "  const own = user.type === 'ok' ? user.value.publicUrl : undefined;",
      replacement: '  const own = config.publicUrl;',
    },
    'the public address of a workspace',
    'test/operations/config.test.ts',
  ),
  rule(
    's3-any-origin',
    {
      title: 'requests from other pages are answered (S3)',
      file: GUARD,
      text: 'if (origin !== undefined && !this.#origins().includes(origin))',
      replacement: "if (origin === 'nobody')",
    },
    'refuses requests of other pages',
  ),
  rule(
    's3-any-site',
    {
      title: 'requests that the browser calls cross-site are answered (S3)',
      file: GUARD,
      text: "if (isApi && site !== undefined && site !== 'same-origin')",
      replacement: "if (isApi && site === 'nobody')",
    },
    'refuses requests of other pages',
  ),
  rule(
    's4-no-token',
    {
      title: 'requests without a token are answered (S4)',
      file: GUARD,
      text: 'const denied = this.#checkToken(headers.authorization);',
      replacement:
        'const denied = headers.authorization === undefined ? undefined : this.#checkToken(headers.authorization);',
    },
    'is needed for every request',
  ),
  rule(
    's4-any-token',
    {
      title: 'requests with any token are answered (S4)',
      file: GUARD,
      text: 'if (timingSafeEqual(digest(given), this.#expected)) return undefined;',
      replacement: "if (given !== '') return undefined;",
    },
    'is needed for every request',
  ),
  rule(
    's4-token-for-all',
    {
      title: 'other users can read the file of the token (S4)',
      file: 'src/operations/serving/access-token.ts',
      text: 'else if (!placeFile(file, `${token}\\n`))',
      replacement: 'else if (!placeFile(file, `${token}\\n`, { mode: 0o644 }))',
    },
    'is random, is kept for the user alone',
  ),
  rule(
    's4-short-token',
    {
      title: 'the token can be guessed (S4)',
      file: 'src/operations/serving/access-token.ts',
      text: "const token = randomBytes(BYTES).toString('base64url');",
      replacement: "const token = Buffer.alloc(BYTES, 7).toString('base64url');",
    },
    'is random, is kept for the user alone',
  ),
  rule(
    's5-token-sent',
    {
      title: 'the token is in the part of the address that browsers send (S5)',
      file: 'src/cli/commands/serve.ts',
      text: '    const url = `${base}/#token=${token.value}`;',
      replacement: '    const url = `${base}/?token=${token.value}`;',
    },
    'is only in the fragment',
  ),
  rule(
    's5-token-stays',
    {
      title: 'the token stays in the address of the page (S5)',
      file: 'web/api.ts',
      text: "    history.replaceState(null, '', location.pathname + location.search);\n",
      replacement: '',
    },
    'never as HTML',
    'test/web/page.test.ts',
  ),
  rule(
    's6-any-type',
    {
      title: 'a POST that another page can send without asking is accepted (S6)',
      file: GUARD,
      text: '/^application\\/json\\s*(?:;|$)/i.test(',
      replacement: '/./s.test(',
    },
    'is JSON of at most 64 KiB',
  ),
  rule(
    's6-any-size',
    {
      title: 'a body of any size is read (S6)',
      file: 'src/http/requests/request.ts',
      text: '    if (size > LARGEST_BODY)',
      replacement: '    if (size < 0)',
    },
    'is JSON of at most 64 KiB',
  ),
  rule(
    's6-cors',
    {
      title: 'other pages may read the answers (S6)',
      file: 'src/http/requests/answer.ts',
      text: "  'cache-control': 'no-store',\n",
      replacement: "  'cache-control': 'no-store',\n  'access-control-allow-origin': '*',\n",
    },
    'is JSON of at most 64 KiB',
  ),
  rule(
    's7-no-trusted-types',
    {
      title: 'the page may turn text into HTML (S7)',
      file: 'src/http/requests/answer.ts',
      text: '    "require-trusted-types-for \'script\'",\n',
      replacement: '',
    },
    'never as HTML',
    'test/web/page.test.ts',
  ),
  ...["'cross-origin-opener-policy': 'same-origin'", "'cross-origin-resource-policy': 'same-origin'"].map(
    (header) => headerLeftOut(header, 'other pages may open or embed it'),
  ),
  headerLeftOut("'referrer-policy': 'no-referrer'", 'other servers learn its addresses'),
  headerLeftOut("'x-content-type-options': 'nosniff'", 'the type of a log is guessed'),
  headerLeftOut("'x-frame-options': 'DENY'", 'other pages may frame it'),
  rule(
    's7-open-stream',
    {
      title: 'the stream of events is sent without the headers that protect it (S7)',
      file: 'src/http/live.ts',
      text: "headersOf({ 'content-type': 'text/event-stream; charset=utf-8' })",
      replacement: "{ 'content-type': 'text/event-stream; charset=utf-8' }",
    },
    'S7: every answer',
  ),
  rule(
    's7-report-with-scripts',
    {
      title: 'a downloaded report may run scripts (S7)',
      file: 'src/http/api/run-routes.ts',
      text: "      'content-security-policy': \"default-src 'none'; style-src 'unsafe-inline'; sandbox\",\n",
      replacement: "      'content-security-policy': \"default-src 'self' 'unsafe-inline'\",\n",
    },
    'S7: every answer',
  ),
  rule(
    's8-any-run-id',
    {
      title: 'a run is found by any path (S8)',
      file: 'src/operations/live/live-runs.ts',
      text: '    const runId = parseRunId(asked);\n',
      replacement: '    const runId = asked as ReturnType<typeof parseRunId>;\n',
    },
    'never leave the run',
  ),
  rule(
    's8-linked-run',
    {
      title: 'a link in place of the folder of a run is followed (S8)',
      file: 'src/operations/live/live-runs.ts',
      text: '  return fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;',
      replacement: '  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;',
    },
    'are not followed through links',
  ),
  rule(
    's8-linked-log',
    {
      title: 'a link in place of a log is followed (S8)',
      file: 'src/operations/runs/read-log.ts',
      text: '  const fd = openPlain(path);',
      replacement: "  const fd = fs.openSync(path, 'r');",
    },
    'are not followed through links',
  ),
  rule(
    's8-control-characters',
    {
      title: 'addresses with control characters are accepted (S8)',
      file: 'src/http/requests/request.ts',
      text: '    if (parts.some((part) => /[\\x00-\\x1f\\x7f]/.test(part))) return malformed();\n',
      replacement: '',
    },
    'S8: ids, keys and files',
  ),
  rule(
    's8-other-folders',
    {
      title: 'conversations of any folder are shown (S8)',
      file: 'src/http/api/workspace-routes.ts',
      text: "      if (!isInside(site.workspace, dir)) return notFound('address');\n",
      replacement: '',
    },
    'do not lead to conversations',
  ),
  rule(
    's9-acts-anyway',
    {
      title: 'a read-only page acts (S9)',
      file: 'src/http/server.ts',
      text: '    if (this.#serving.isReadOnly)\n',
      replacement: "    if (this.#serving.isReadOnly && request.method !== 'POST')\n",
    },
    'S9: a read-only page',
  ),
  rule(
    's9-remote-acts',
    {
      title: 'other machines can act without `--allow-actions` (S9)',
      file: 'src/cli/commands/serve.ts',
      text: 'isReadOnly: flags.readOnly === true || (isRemote && flags.allowActions !== true)',
      replacement: 'isReadOnly: flags.readOnly === true',
    },
    'serves the public address as well, read-only',
  ),
  rule(
    's10-guessing',
    {
      title: 'tokens can be guessed as fast as one likes (S10)',
      file: GUARD,
      text: 'return this.#wrongAt.length > WRONG_TOKENS',
      replacement: 'return this.#wrongAt.length > WRONG_TOKENS + 1',
    },
    'slows down guessing',
  ),
  rule(
    's10-locked-out',
    {
      title: 'wrong tokens lock out the right one (S10)',
      file: GUARD,
      text: 'if (timingSafeEqual(digest(given), this.#expected)) return undefined;',
      replacement:
        'if (this.#wrongAt.length <= WRONG_TOKENS && timingSafeEqual(digest(given), this.#expected)) return undefined;',
    },
    'slows down guessing',
  ),
  rule(
    's10-any-streams',
    {
      title: 'any number of streams is opened (S10)',
      file: 'src/http/server.ts',
      text: 'if (this.#live.size >= MOST_STREAMS)',
      replacement: 'if (this.#live.size < 0)',
    },
    'opens at most 64 streams',
  ),
  rule(
    's10-endless-requests',
    {
      title: 'a request may take as long as it likes (S10)',
      file: 'src/http/server.ts',
      text: '{ headersTimeout: 5000, requestTimeout: 10_000, connectionsCheckingInterval: 1000 }',
      replacement: '{ headersTimeout: 0, requestTimeout: 0, connectionsCheckingInterval: 1000 }',
    },
    'ends requests that are not finished in time',
  ),
  rule(
    's11-values-shown',
    {
      title: 'values of variables that a step sets are shown (S11)',
      file: 'src/operations/live/step-detail.ts',
      text: '  const { env: _env, environment: _environment, secrets: _secrets, ...rest } = input;\n  return rest satisfies JsonObject;',
      replacement: '  return input;',
    },
    'S11: no answer holds',
  ),
];

function headerLeftOut(header: string, so: string): Mutant {
  const name = header.split("'")[1] ?? '';
  return rule(
    `s7-no-${name}`,
    {
      title: `answers have no \`${name}\`: ${so} (S7)`,
      file: 'src/http/requests/answer.ts',
      text: `  ${header},\n`,
      replacement: '',
    },
    'S7: every answer',
  );
}
