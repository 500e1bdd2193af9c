/** Readers, while other processes write and after they have ended. */
import fs from 'node:fs';
import { must, mustEqual, shortened } from '../must.ts';
import { readJournal } from '../site/journal.ts';
import { type ProgramCase, programCase, programCases, writeAgent } from '../site/programs.ts';
import { isForPrograms, READING_COMMANDS } from '../site/reading-commands.ts';
import { createSite, differences, type Site, snapshotOf, until } from '../site/site.ts';
import type { Point, Trial } from '../suite.ts';

/** Prints something at once and ends when it is released. */
const SLOW = `begin
until [ -e "$HOME/go" ]; do sleep 0.05; done
finish`;

/** A workspace with files of every program, whose owner was killed while working, and a journal with a torn end. */
export function readersAfter(
  program: ProgramCase,
  part: readonly (readonly string[])[],
  name: string,
): Point {
  return {
    id: `readers/after-kill/${program.name}/${name}`,
    async check(trial) {
      const site = await everything(trial, program);
      const owner = site.start(program.start);
      await until(trial, 'a run with a process', () => hasProcess(site));
      process.kill(owner.pid, 'SIGKILL');
      await owner.ended;
      site.write({ go: '' });
      const [run = ''] = site.runs().slice(-1);
      fs.appendFileSync(site.path('.orchestrate/runs', run, 'journal.jsonl'), '{"seq":99,"type":"step-en');
      await until(trial, 'its agent to end', () => !isAtWork(site));
      const before = snapshotOf(site.folder);
      for (const argv of part) {
        await mustLook(site, argv);
        const changed = differences(before, snapshotOf(site.folder));
        mustEqual(changed, [], `files changed by \`orchestrate ${argv.join(' ')}\``);
        trial.count('reading commands held against every byte');
      }
    },
  };
}

export function readerParts(parts: number): readonly (readonly (readonly string[])[])[] {
  const size = Math.ceil(READING_COMMANDS.length / parts);
  return Array.from({ length: parts }, (_, part) => READING_COMMANDS.slice(part * size, (part + 1) * size));
}

/** Readers during writes: each sees complete documents. */
export function readersBeside(seconds: number): Point {
  return {
    id: `readers/beside/${seconds}s`,
    async check(trial) {
      const site = await everything(trial, programCase('workflow'));
      site.write({ 'loop.yaml': JSON.stringify(LOOP) });
      const stopAt = performance.now() + seconds * 1000;
      const hasTime = (): boolean => performance.now() < stopAt && !trial.signal.aborted;
      const writers = [
        repeat(hasTime, () => site.ok(['run', 'loop.yaml', '--quiet'])),
        repeat(hasTime, (turn) =>
          site.ok([
            'task',
            'update',
            'IMPL-1',
            '--title',
            `Turn ${turn}`,
            '--status',
            turn % 2 === 0 ? 'active' : 'pending',
          ]),
        ),
        repeat(hasTime, async (turn) => {
          if (turn % 2 === 0) await site.ok(['phases', 'fail', 'phase_0', '--error', `turn ${turn}`]);
          else await site.ok(['phases', 'retry', 'phase_0']);
        }),
      ];
      const commands = trial.random.shuffle(READING_COMMANDS.filter((argv) => argv[0] !== 'execute'));
      const readers = [
        repeat(hasTime, (turn) => mustLook(site, commands[turn % commands.length] ?? ['runs'])),
        repeat(hasTime, async () => lookAtDocuments(site)),
      ];
      await Promise.all([...writers, ...readers]);
      for (const run of site.runs()) readJournal(site.path('.orchestrate/runs', run, 'journal.jsonl'));
    },
  };
}

const LOOP = {
  name: 'loop',
  steps: [
    {
      name: 'Loop',
      for_each: {
        items: Array.from({ length: 30 }, (_, item) => item),
        max_parallel: 4,
        steps: [{ name: 'Say', command: ['sh', '-c', 'printf "%04000d\\n" ${item}'] }],
      },
    },
  ],
};

async function repeat(hasTime: () => boolean, action: (turn: number) => Promise<unknown>): Promise<void> {
  for (let turn = 0; hasTime(); turn += 1) await action(turn);
}

async function lookAtDocuments(site: Site): Promise<void> {
  const runs = site.runs().map((run) => `.orchestrate/runs/${run}/state.json`);
  const documents = [
    ...['.workflow/WFS-work/workflow-session.json', '.workflow/WFS-work/.task/IMPL-1.json'],
    ...['.claude/state/workflow.json', ...runs],
  ];
  for (const name of documents) {
    // A run that has just started has none yet.
    if (!site.has(name)) continue;
    const text = site.read(name);
    must(isJson(text), () => ({ expected: 'a complete document', found: shortened(text), where: name }));
    site.trial.count('documents read while they were written');
  }
  await new Promise((resolve) => setTimeout(resolve, 5));
}

async function mustLook(site: Site, argv: readonly string[]): Promise<void> {
  const { exitCode, signal, stdout, stderr } = await site.run(argv);
  // 1: there are findings; 2: it does not exist yet.
  const isKnown = exitCode === 0 || exitCode === 1 || exitCode === 2;
  const broken =
    /internal error|SyntaxError|TypeError|cannot be read|not JSON|is damaged|JSON at position/.exec(stderr);
  must(isKnown && broken === null, () => ({
    expected: `\`orchestrate ${argv.join(' ')}\` to show the current state`,
    found: `${signal ?? exitCode}: ${shortened(stderr === '' ? stdout : stderr)}`,
  }));
  must(!isForPrograms(argv) || exitCode !== 0 || isJson(stdout), () => ({
    expected: `JSON of \`orchestrate ${argv.join(' ')}\``,
    found: shortened(stdout),
  }));
}

async function everything(trial: Trial, program: ProgramCase): Promise<Site> {
  const site = createSite(trial);
  for (const one of programCases()) await one.prepare(site);
  await site.ok(['converse', 'run', 'talk', '--agent', 'mock', '--session', 'zero', '--quiet', '--dry-run']);
  await site.ok(['phases', 'start', '--json']);
  await site.run(['queue', 'put', 'engineer'], { stdin: 'a task\n' });
  writeAgent(site, program, SLOW);
  return site;
}

function hasProcess(site: Site): boolean {
  return site.runs().some((run) => {
    const name = `.orchestrate/runs/${run}/journal.jsonl`;
    return site.has(name) && /"process-started".*"key":"(?!Before)/.test(site.read(name));
  });
}

function isAtWork(site: Site): boolean {
  return fs.readdirSync('/proc').some((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(site.path('.bin/claude'))
      );
    } catch {
      return false;
    }
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
