/** Secret values that must not reach any file or screen. */
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { must, shortened } from '../must.ts';
import { programCase, programCases, writeAgent } from '../site/programs.ts';
import { VIEWS_OF_LAST_RUN } from '../site/reading-commands.ts';
import { createSite, type Site } from '../site/site.ts';
import type { Point } from '../suite.ts';
import { mustNotHold } from './outside.ts';

/** With characters that JSON and URLs escape. */
const SECRET = 's3cr3t/"quoted" & \\back+slash%';
const KEY = 'sk-live-0123456789abcdefghij';
const PEM = [
  '-----BEGIN PRIVATE KEY-----',
  'MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDFmadeUpForThis',
  'ProofAloneAndOpensNothingAtAll0123456789+/abcdefghijklmnopqrstuvw',
  '-----END PRIVATE KEY-----',
].join('\n');
const ADDRESS_PASSWORD = 'pgPassw0rd-in-an-address';
const ENVIRONMENT = {
  DEPLOY: SECRET,
  API_KEY: KEY,
  SIGNING: PEM,
  DATABASE_URL: `postgres://app:${ADDRESS_PASSWORD}@db.test/app`,
  SERVICE_PASSWORD_PROD: 'named-like-a-passw0rd',
};
const FORMS = [
  SECRET,
  JSON.stringify(SECRET).slice(1, -1),
  encodeURIComponent(SECRET),
  SECRET.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  ...[SECRET, KEY].flatMap((secret) => [
    Buffer.from(secret).toString('base64').slice(0, -4),
    Buffer.from(`user:${secret}`).toString('base64').slice(8, -4),
    Buffer.from(secret).toString('hex'),
  ]),
  KEY,
  ...PEM.split('\n').slice(1, 3),
  ADDRESS_PASSWORD,
  ENVIRONMENT.SERVICE_PASSWORD_PROD,
];

/** Ways to leak a secret: whole, in pieces with pauses, byte by byte, encoded, across chunk boundaries. */
const SLIPS: Readonly<Record<string, string>> = {
  whole: 'printf "%s\\n" "$DEPLOY" "$API_KEY"',
  halves: 'printf "%.9s" "$DEPLOY"; sleep 0.15; printf "%s" "${DEPLOY#?????????}"; echo',
  bytes:
    'i=0; while [ $i -lt ${#API_KEY} ]; do printf "%s" "$(printf "%s" "$API_KEY" | cut -c$((i+1)))"; i=$((i+1)); done; echo',
  stderr: 'printf "%s\\n" "$DEPLOY" "$API_KEY" >&2; exit 1',
  json: 'printf %s "$DEPLOY" | python3 -c "import json,sys; print(json.dumps({\'v\': sys.stdin.read()}))"',
  percent:
    'printf %s "$DEPLOY" | python3 -c "import sys,urllib.parse; print(urllib.parse.quote(sys.stdin.read(), safe=\\"!\'()*\\"))"',
  'chunk-border':
    'head -c 65530 /dev/zero | tr "\\0" x; printf %s "$API_KEY"; head -c 131060 /dev/zero | tr "\\0" y; printf "%s\\n" "$DEPLOY"',
  base64:
    'printf %s "$DEPLOY" | base64; printf %s "user:$API_KEY" | base64 -w0; echo; printf %s "$DEPLOY" | base64 -w0',
  hex: 'printf %s "$DEPLOY" | od -An -v -tx1 | tr -d " \\n"; echo; printf %s "$API_KEY" | od -An -v -tx1 | tr -d " \\n"',
  html: 'printf %s "$DEPLOY" | sed "s/&/\\&amp;/g; s/\\"/\\&quot;/g"',
  lines: 'printf "%s\\n" "$SIGNING" | sed "s/^/    /"; printf "%s\\n" "$SIGNING" | tail -n 2',
  undeclared: 'echo "$DATABASE_URL"; echo "$SERVICE_PASSWORD_PROD"; env',
  'cut-tail': 'yes z | head -c 9000; printf %s "$API_KEY"; exit 3',
};

/** Every view of a run and every file of it. */
async function mustBeMasked(site: Site, said: string, except: readonly string[]): Promise<void> {
  const texts = [said];
  for (const argv of VIEWS_OF_LAST_RUN) {
    const { stdout, stderr } = await site.run(argv);
    texts.push(stdout, stderr);
  }
  for (const form of FORMS) {
    for (const text of texts)
      must(!text.includes(form), () => ({
        expected: `\`${form}\` on no screen`,
        found: shortened(text.slice(Math.max(0, text.indexOf(form) - 200)), 500),
      }));
    mustNotHold(site, form, except);
  }
}

export function* secretPoints(): Generator<Point> {
  for (const [name, slip] of Object.entries(SLIPS)) {
    yield {
      id: `secret/command/${name}`,
      async check(trial) {
        const site = createSite(trial, ENVIRONMENT);
        const steps = [
          {
            name: 'Slip',
            command: ['sh', '-c', slip],
            secrets: ['DEPLOY', 'SIGNING'],
            output_file: 'out.txt',
            on: { failure: { goto: 'Lines' } },
          },
          {
            name: 'Lines',
            command: ['sh', '-c', slip],
            secrets: ['DEPLOY', 'SIGNING'],
            output_capture: 'lines',
            on: { failure: { goto: 'Next' } },
          },
          { name: 'Next', command: ['cat'], input_file: 'out.txt' },
        ];
        site.write({ 'work.yaml': JSON.stringify({ name: 'work', steps }), 'out.txt': '' });
        const { stdout, stderr } = await site.run(['run', 'work.yaml', '--verbose']);
        const events = await site.run(['run', 'work.yaml', '--json']);
        await mustBeMasked(site, `${stdout}${stderr}${events.stdout}${events.stderr}`, []);
      },
    };
  }
  for (const { name } of programCases()) {
    yield {
      id: `secret/agent/${name}`,
      async check(trial) {
        const site = createSite(trial, { ANTHROPIC_API_KEY: KEY, DEPLOY_TOKEN: SECRET });
        const program = programCase(name);
        await program.prepare(site);
        const text = `{"type":"assistant","message":{"content":[{"type":"text","text":"key '"$ANTHROPIC_API_KEY"'"},{"type":"tool_use","id":"t","name":"Bash","input":{"command":"echo '"$ANTHROPIC_API_KEY"'"}}]}}`;
        const body = `begin; printf '%.30s' '${text}' > /dev/null; printf '%s\\n' '${text}'; echo "$ANTHROPIC_API_KEY" >&2
printf '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"%.12s' "$ANTHROPIC_API_KEY"; sleep 0.1
printf '%s"}]}}\\n' "\${ANTHROPIC_API_KEY#????????????}"; finish`;
        writeAgent(site, program, body);
        const start =
          name === 'workflow'
            ? [...program.start.filter((word) => word !== '--quiet'), '--record', '--verbose']
            : program.start;
        const { exitCode, stdout, stderr } = await site.run(start);
        must(exitCode === 0, () => ({
          expected: 'the agent to complete',
          found: shortened(`${exitCode}: ${stderr}`),
        }));
        await mustBeMasked(site, `${stdout}${stderr}`, []);
      },
    };
  }
}

/** Notifications sent over the network. */
export function notificationPoint(): Point {
  return {
    id: 'secret/notification',
    async check(trial) {
      const site = createSite(trial, { API_KEY: KEY });
      const told: string[] = [];
      const server = http.createServer((request, response) => {
        told.push(JSON.stringify(request.headers));
        request.on('data', (chunk: Buffer) => told.push(chunk.toString()));
        request.on('end', () => response.end());
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
      try {
        const { port } = server.address() as AddressInfo;
        const program = programCase('iterate');
        await program.prepare(site);
        const settings = {
          notifyUrl: `http://127.0.0.1:${port}/topic`,
          notifyEvents: ['all'],
          retry: { maxAttempts: 1 },
        };
        site.write({ '.claude-iterate.json': JSON.stringify(settings) });
        const status = 'claude-iterate/workspaces/task/.status.json';
        writeAgent(
          site,
          program,
          `begin; printf '{"complete":false,"summary":"%s"}' "$API_KEY" > "$HOME/${status}"; sleep 2.5; echo "$API_KEY" >&2; exit 3`,
        );
        const { stdout, stderr } = await site.run([...program.start, '--trust']);
        must(told.length > 0, () => ({ expected: 'notifications', found: 'none' }));
        for (const text of [...told, stdout, stderr])
          must(!text.includes(KEY), () => ({
            expected: 'no key in notifications',
            found: shortened(text, 400),
          }));
        mustNotHold(site, KEY, [status]);
      } finally {
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

/** Files that may contain prompts or outputs are readable only by their owner. */
export function privacyPoint(): Point {
  return {
    id: 'secret/permissions',
    async check(trial) {
      const site = createSite(trial);
      const program = programCase('workflow');
      await program.prepare(site);
      writeAgent(site, program, 'begin; echo x >&2; finish');
      await site.ok([...program.start, '--record']);
      for (const name of fs.readdirSync(site.path('.orchestrate/runs'), {
        recursive: true,
        encoding: 'utf8',
      })) {
        const { mode } = fs.statSync(site.path('.orchestrate/runs', name));
        must((mode & 0o077) === 0, () => ({
          expected: 'permissions of the owner only',
          found: (mode & 0o777).toString(8),
          where: name,
        }));
      }
    },
  };
}
