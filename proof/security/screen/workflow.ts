/** A workflow with terminal control sequences in every value: while it runs, in every view, and in its log. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { programCase, writeAgent } from '../../site/programs.ts';
import { isForPeople, VIEWS_OF_LAST_RUN } from '../../site/reading-commands.ts';
import { createSite, type Site } from '../../site/site.ts';
import type { Point } from '../../suite.ts';
import { EVERY_SEQUENCE, mustBeHarmless } from './sequences.ts';

const VIEWS = [['runs'], ...VIEWS_OF_LAST_RUN.filter(isForPeople), ['doctor', 'last']];

export function workflowScreen(): Point {
  return {
    id: 'screen/workflow',
    async check(trial) {
      const site = createSite(trial);
      const workflow = programCase('workflow');
      await workflow.prepare(site);
      site.write({ 'evil.txt': `${EVERY_SEQUENCE}\n`, 'prompt.txt': EVERY_SEQUENCE });
      const steps = [
        { name: 'Say', command: ['cat', 'evil.txt'], agent: EVERY_SEQUENCE },
        { name: 'Fail', command: ['sh', '-c', 'cat evil.txt >&2; exit 1'], on: { failure: { goto: 'Ask' } } },
        {
          name: 'Ask',
          provider: 'claude',
          input_file: 'prompt.txt',
          retries: 0,
          on: { failure: { goto: 'Loop' } },
        },
        {
          name: 'Loop',
          for_each: { items: [EVERY_SEQUENCE], steps: [{ name: 'In', command: ['echo', '${item}'] }] },
        },
        { name: 'Question', approve: { message: EVERY_SEQUENCE, choices: ['yes', 'no'] } },
      ];
      site.write({
        'work.yaml': JSON.stringify({
          name: `work ${EVERY_SEQUENCE}`,
          context: { x: EVERY_SEQUENCE },
          steps,
        }),
      });
      const said = JSON.stringify(JSON.stringify(EVERY_SEQUENCE)).slice(1, -1).replaceAll("'", '');
      const block = `{"type":"assistant","message":{"content":[{"type":"text","text":${said.replaceAll('\\"', '"')}},{"type":"tool_use","id":"t","name":"Bash","input":{"command":${said.replaceAll('\\"', '"')}}}]}}`;
      site.write({ 'block.json': `${block}\n` });
      writeAgent(site, workflow, 'begin; cat "$HOME/block.json"; cat "$HOME/evil.txt" >&2; finish');
      for (const flags of [['--verbose'], []]) {
        mustBeHarmless(
          await onTerminal(site, ['run', 'work.yaml', ...flags]),
          `run ${flags.join(' ')} on a terminal`,
        );
        const { stderr } = await site.run(['run', 'work.yaml', ...flags]);
        mustBeHarmless(stderr, `run ${flags.join(' ')} in lines`);
      }
      for (const argv of VIEWS) {
        mustBeHarmless(await onTerminal(site, argv), `\`orchestrate ${argv.join(' ')}\` on a terminal`);
        // A pipe gets the raw bytes of a log.
        if (argv[0] !== 'logs')
          mustBeHarmless((await site.run(argv)).stdout, `\`orchestrate ${argv.join(' ')}\``);
      }
    },
  };
}

/** Files for people to read are safe to print with `cat`. */
export function logPoint(): Point {
  return {
    id: 'screen/orchestrator-log',
    async check(trial) {
      const site = createSite(trial);
      site.write({ 'evil.txt': EVERY_SEQUENCE });
      const steps = [{ name: 'Fail', command: ['sh', '-c', 'cat evil.txt >&2; exit 1'] }];
      site.write({ 'work.yaml': JSON.stringify({ name: `work ${EVERY_SEQUENCE}`, steps }) });
      await site.run(['run', 'work.yaml', '--quiet']);
      const [run = ''] = site.runs();
      mustBeHarmless(site.read(`.orchestrate/runs/${run}/logs/orchestrator.log`), 'orchestrator.log');
    },
  };
}

/** On a real terminal, created by `script`. */
async function onTerminal(site: Site, argv: readonly string[]): Promise<string> {
  const binary = path.join(site.trial.root, 'bin', 'orchestrate.js');
  const words = [process.execPath, binary, ...argv].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const child = spawn('script', ['-qec', words.join(' '), '/dev/null'], {
    cwd: site.folder,
    env: {
      PATH: `${site.path('.bin')}:${process.env['PATH'] ?? ''}`,
      HOME: site.folder,
      XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? '',
      TERM: 'xterm-256color',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: site.trial.signal,
    killSignal: 'SIGKILL',
  });
  const out: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  await new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  return Buffer.concat(out).toString('utf8');
}
