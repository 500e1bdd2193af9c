import fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { composePrompt } from '../../src/effects/agent/compose-prompt.ts';
import type { Injection } from '../../src/effects/contracts.ts';
import type { PartHere } from '../../src/effects/site-paths.ts';
import { type AgentRig, createAgentRig } from './rig.ts';

let rig: AgentRig;
beforeEach(() => {
  rig = createAgentRig();
});
afterEach(() => rig.remove());

const TASK: readonly PartHere[] = [{ type: 'text', text: 'Task.' }];

function compose(inject: Partial<Injection>, prompt = TASK): ReturnType<typeof composePrompt> {
  const wanted: Injection = { required: [], optional: [], mode: 'list', position: 'prepend', ...inject };
  return composePrompt({ prompt, inject: wanted }, rig.workspace);
}

describe('composing a prompt', () => {
  it('reads files literally, whatever they contain', () => {
    rig.write('task.md', 'Do ${context.x} and $$ and {{y}}\n');
    const prompt: readonly PartHere[] = [
      { type: 'text', text: 'Role.\n' },
      { type: 'file', path: 'task.md' },
    ];
    expect(composePrompt({ prompt }, rig.workspace)).toEqual({
      type: 'ok',
      value: { text: 'Role.\nDo ${context.x} and $$ and {{y}}\n' },
    });
  });

  it.each(['../outside.md', '/nowhere/outside.md', 'missing.md', 'link.md'])('does not read %s', (path) => {
    fs.writeFileSync(join(rig.workspace, '..', 'outside.md'), 'secret');
    fs.symlinkSync('../outside.md', join(rig.workspace, 'link.md'));
    expect(composePrompt({ prompt: [{ type: 'file', path }] }, rig.workspace).type).toBe('error');
  });
});

describe('injecting files', () => {
  it('lists them in byte order, each once', () => {
    for (const name of ['b.md', 'a.md', 'B.md', 'ä.md']) rig.write(`docs/${name}`, name);
    expect(compose({ required: ['docs/*.md'], optional: ['docs/a.md', 'none/*'] })).toMatchObject({
      value: {
        text: 'These files belong to the task:\n- docs/B.md\n- docs/a.md\n- docs/b.md\n- docs/ä.md\n\nTask.',
        injection: { mode: 'list', files: 4, truncated: false },
      },
    });
  });

  it("puts their contents after the prompt, below the user's instruction", () => {
    rig.write('a.md', 'Alpha\n');
    const wanted = {
      required: ['a.md'],
      mode: 'content',
      position: 'append',
      instruction: 'Read this:',
    } as const;
    expect(compose(wanted)).toMatchObject({
      value: { text: 'Task.\n\nRead this:\n\n--- a.md (6 bytes) ---\nAlpha\n' },
    });
  });

  it('fails if required files are missing, and names them all', () => {
    expect(compose({ required: ['a/*.md', 'b.md'], optional: ['c.md'] })).toEqual({
      type: 'error',
      error: { type: 'missing-dependencies', patterns: ['a/*.md', 'b.md'] },
    });
  });

  it('leaves the prompt unchanged if nothing was found', () => {
    expect(compose({ optional: ['none'] })).toMatchObject({
      value: { text: 'Task.', injection: { files: 0 } },
    });
  });

  it.each([0, 1, 2, 3])('truncates at 262,144 bytes between two characters (shifted by %i)', (shift) => {
    rig.write('a.txt', 'x'.repeat(shift) + '🙂'.repeat(100_000));
    rig.write('b.txt', 'never seen');
    const composed = compose({ required: ['*.txt'], mode: 'content' }, []);
    if (composed.type === 'error') throw new Error('it failed');
    const { text, injection } = composed.value;
    const block = text.replace(/\n\n$/, '');
    expect(Buffer.byteLength(block)).toBeLessThanOrEqual(262_144);
    expect(Buffer.byteLength(block)).toBeGreaterThan(262_140);
    expect(block).not.toContain('\ufffd');
    expect(injection).toMatchObject({
      truncated: true,
      cut: [
        { file: 'a.txt', bytes: 400_000 + shift },
        { file: 'b.txt', shown: 0 },
      ],
    });
  });

  it('truncates a list between two names', () => {
    for (let i = 0; i < 1400; i += 1) rig.write(`${'d'.repeat(200)}/${String(i).padStart(4, '0')}.txt`, '');
    const composed = compose({ required: ['d*/*.txt'] }, []);
    if (composed.type === 'error') throw new Error('it failed');
    const lines = composed.value.text.trimEnd().split('\n');
    expect(Buffer.byteLength(lines.join('\n'))).toBeLessThanOrEqual(262_144);
    expect(lines.slice(1).every((line) => line.endsWith('.txt'))).toBe(true);
    expect(composed.value.injection).toMatchObject({ truncated: true, files: 1400 });
  });
});
