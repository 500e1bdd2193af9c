/** A hook of an incomplete or damaged installation must not disturb the agent. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';
import { agentEnded, BINARY, DOCUMENT, PhasesSite } from './site.ts';

const EVENT = agentEnded({ prompt: 'Phase ID: phase_0' });
const PACK = 'dist/hook/hook.cjs';

/** A copy of the parts of the program that a hook needs. */
function install(): Workspace {
  const root = dirname(dirname(BINARY));
  const copy = new Workspace();
  for (const part of ['package.json', 'bin', 'dist/hook'])
    fs.cpSync(join(root, part), join(copy.folder, part), { recursive: true });
  return copy;
}

async function siteBeforeHook(): Promise<PhasesSite> {
  const site = new PhasesSite();
  await site.create('First', 'Second');
  return site;
}

const binaryOf = (copy: Workspace) => ({ binary: join(copy.folder, 'bin', 'orchestrate.js') });

const half = (copy: Workspace, path: string): string => {
  const text = copy.read(path);
  return text.slice(0, text.length / 2);
};

describe('a hook of a program', () => {
  it.each<[string, (copy: Workspace) => void]>([
    ['without `dist`', (copy) => fs.rmSync(join(copy.folder, 'dist'), { recursive: true })],
    ['without its pack', (copy) => fs.rmSync(join(copy.folder, PACK))],
    ['whose pack is empty', (copy) => copy.write({ [PACK]: '' })],
    ['whose pack was written by half', (copy) => copy.write({ [PACK]: half(copy, PACK) })],
    ['whose pack is of another kind', (copy) => copy.write({ [PACK]: '({})' })],
    [
      'whose pack ends in an error',
      (copy) => copy.write({ [PACK]: "({'main.cjs': () => { throw new Error('no') }})" }),
    ],
    [
      'whose pack throws when it is called',
      (copy) =>
        copy.write({
          [PACK]: "({'main.cjs': (exports) => { exports.main = async () => { throw new Error('no') } }})",
        }),
    ],
  ])('%s changes nothing, prints nothing and lets the agent continue', async (_, damage) => {
    const copy = install();
    damage(copy);
    const site = await siteBeforeHook();
    const before = { files: site.list('.claude'), document: site.read(DOCUMENT) };
    for (const event of ['post-tool-use', 'stop', 'pre-tool-use'])
      expect(await site.hook(event, EVENT, {}, binaryOf(copy))).toMatchObject({
        ...{ exitCode: 0, stdout: '', stderr: '' },
      });
    expect({ files: site.list('.claude'), document: site.read(DOCUMENT) }).toEqual(before);
  });

  it('that is intact records the event', async () => {
    const copy = install();
    const site = await siteBeforeHook();
    expect(await site.hook('post-tool-use', EVENT, {}, binaryOf(copy))).toMatchObject({
      ...{ exitCode: 0, stderr: '', stdout: expect.stringContaining('Phase phase_1 (Second) is active') },
    });
    expect(site.statuses()).toEqual(['completed', 'active']);
  });
});
