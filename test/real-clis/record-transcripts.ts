/** Records every scenario with every real CLI into `test/agents/transcripts/<cli>-<version>/`. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import type { AgentRequest } from '../../src/agents/adapter.ts';
import { ADAPTERS } from '../../src/agents/adapters/all.ts';
import { type ModelServer, startModelServer } from '../rig/model-server/server.ts';
import { CLIS, type Cli, cleanEnvironment } from './clis.ts';
import { CLIS_FOLDER, installClis } from './install.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';

const repository = join(CLIS_FOLDER, '..', '..');
const transcripts = join(repository, 'test', 'agents', 'transcripts');

await installClis();
const wanted = process.argv.slice(2);
for (const cli of CLIS) {
  for (const scenario of SCENARIOS) {
    if (scenario.only !== undefined && !scenario.only.includes(cli.name)) continue;
    if (scenario.version !== undefined && scenario.version !== cli.version) continue;
    if (wanted.length > 0 && !wanted.some((word) => `${cli.label}/${scenario.name}`.includes(word))) continue;
    const made = await record(cli, scenario);
    console.log(`${cli.label}/${scenario.name}: exit ${made.signal ?? made.exitCode}`);
  }
}

interface Recorded {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

async function record(cli: Cli, scenario: Scenario): Promise<Recorded> {
  const home = fs.mkdtempSync(join(os.tmpdir(), 'transcript-'));
  const server = await startModelServer(scenario.turns(cli));
  try {
    const cwd = join(home, 'workspace');
    fs.mkdirSync(cwd);
    const request: AgentRequest = {
      prompt: 'What is two and two?',
      ...scenario.request,
      command: cli.command(),
    };
    let made = await run(cli, scenario, { home, cwd, server, request });
    if (scenario.continues === true) {
      const sessionId =
        /"(?:session_id|thread_id|sessionID|sessionId)":"([^"]+)"/.exec(made.stdout)?.[1] ?? '';
      const continued: AgentRequest = {
        ...request,
        prompt: 'And then?',
        session: { type: 'continue', sessionId },
      };
      made = await run(cli, scenario, { home, cwd, server, request: continued });
    }
    const folder = join(transcripts, cli.label);
    fs.mkdirSync(folder, { recursive: true });
    const clean = (text: string): string =>
      text
        .replaceAll(home, '/home/user')
        .replaceAll(repository, '/repository')
        .replaceAll(server.url, 'http://model');
    fs.writeFileSync(join(folder, `${scenario.name}.jsonl`), clean(made.stdout));
    const exit = {
      exitCode: made.exitCode,
      signal: made.signal,
      stderrTail: clean(made.stderr).slice(-500),
    };
    fs.writeFileSync(join(folder, `${scenario.name}.exit.json`), `${JSON.stringify(exit, null, 2)}\n`);
    return made;
  } finally {
    await server.close();
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Site {
  readonly home: string;
  readonly cwd: string;
  readonly server: ModelServer;
  readonly request: AgentRequest;
}

async function run(cli: Cli, scenario: Scenario, site: Site): Promise<Recorded> {
  const call = ADAPTERS[cli.name].call(site.request);
  const [program = '', ...args] = call.argv;
  const env = {
    ...cleanEnvironment(site.home),
    ...call.env,
    ...cli.settle({ home: site.home, url: site.server.url, ...scenario.site }),
    ...scenario.env,
  };
  const child = spawn(program, args, { cwd: site.cwd, env });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  child.stdin.on('error', () => {});
  child.stdin.end(call.stdin);
  const { kill } = scenario;
  if (kill !== undefined) void site.server.requested(kill.afterRequests).then(() => child.kill(kill.signal));
  return await new Promise((resolve) =>
    child.on('close', (exitCode, signal) =>
      resolve({
        stdout: Buffer.concat(out).toString(),
        stderr: Buffer.concat(err).toString(),
        exitCode,
        signal,
      }),
    ),
  );
}
