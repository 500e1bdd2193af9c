/** Names that lead out of the workspace, given to every command that takes a name. */
import type { Point } from '../../suite.ts';
import { createFenced } from '../outside.ts';
import { furnish, mustRefuse, namesLeadingOut } from './leading-out.ts';

/** Every command that takes a name, with a placeholder for it. */
const COMMANDS: Readonly<Record<string, (name: string) => readonly (readonly string[])[]>> = {
  runs: (name) => [
    ...['show', 'logs', 'report', 'explain', 'resume', 'cancel'].map((command) => [command, name]),
    ['doctor', name, '--cut'],
    ['approve', name, 'Ask', '--choose', 'yes'],
    ['fork', name, '--from', 'Say'],
    ['run-step', 'Say', '--workflow', 'work.yaml', '--from-run', name],
    ['run', 'work.yaml', '--replay', name],
  ],
  logs: (name) => [
    ['logs', 'last', name],
    ['explain', 'last', name],
    ['approve', 'last', name, '--choose', 'yes'],
  ],
  sessions: (name) => [
    ...['switch', 'status', 'complete', 'resume'].map((command) => ['session', command, name]),
    ['task', 'list', '--session', name],
    ['task', 'create', '--session', name, '--title', 'x'],
    ['views', '--session', name],
  ],
  tasks: (name) => [
    ['task', 'show', name],
    ['task', 'update', name, '--status', 'active'],
    ['task', 'decompose', name, '--into', 'a', 'b'],
    ['execute', name, '--agent', 'mock'],
    ['task', 'create', '--title', 'x', '--parent', name],
  ],
  iterate: (name) => [
    ...['init', 'show', 'reset', 'stop', 'run'].map((command) => ['iterate', command, name]),
    ['iterate', 'clean', name, '-f'],
    ['iterate', 'clean', name, '-f', '--no-archive'],
    ['iterate', 'archive', 'save', name],
    ['iterate', 'archive', 'delete', name, '-f'],
    ['iterate', 'archive', 'show', name],
    ['iterate', 'template', 'save', 'task', name],
    ['iterate', 'template', 'use', name, 'fresh'],
    ['iterate', 'template', 'use', 'kept', name],
    ['iterate', 'template', 'delete', name],
    ['iterate', 'config', '-w', name, 'maxIterations', '3'],
  ],
  converse: (name) => [
    ['converse', 'run', 'talk', '--session', name, '--quiet'],
    ['converse', 'resume', 'talk', '--session', name],
    ['converse', 'history', 'talk', '--session', name],
    ['converse', 'archive', 'talk', '--session', name],
    ['converse', 'clean', 'talk', '--session', name, '-f'],
    ['converse', 'restore', `${name}/x.tar.gz`],
  ],
  queue: (name) => [
    ['queue', 'put', name, '--file', 'work.yaml'],
    ['queue', 'take', name],
    ['queue', 'list', name],
    ['queue', 'done', `${name}/secret.task`],
    ['queue', 'fail', `${name}/secret.task`],
  ],
  phases: (name) => [
    ['phases', 'start', name],
    ['phases', 'complete', name],
    ['phases', 'fail', name],
    ['phases', 'retry', name],
  ],
  status: (name) => [
    ['status', 'write', '--agent', name, '--step', 'x', '--success', 'true'],
    ['status', 'write', '--agent', 'a', '--step', 'x', '--success', 'true', '--file', `${name}/status.json`],
  ],
};

export function* commandPoints(): Generator<Point> {
  for (const [area, commands] of Object.entries(COMMANDS)) {
    yield {
      id: `traversal/command/${area}`,
      async check(trial) {
        const fenced = createFenced(trial);
        await furnish(fenced);
        for (const name of trial.random.sample(namesLeadingOut(fenced), 4)) {
          for (const argv of commands(name)) {
            const ended = await fenced.site.run(argv);
            mustRefuse(fenced, ended, argv);
          }
        }
      },
    };
  }
}
