import fs from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appendLine } from '../../src/effects/append-line.ts';
import type { AppendLineInput } from '../../src/effects/contracts.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { effectContext } from './effect-site.ts';

interface Site {
  readonly file: string;
  append(line: AppendLineInput['line'], sameBy?: readonly string[]): ReturnType<typeof appendLine>;
  text(): string;
}

function site(): Site {
  const context = effectContext(temporaryFolder());
  const file = join(context.run.workspace, 'logs/all.jsonl');
  return {
    file,
    append: (line, sameBy = ['id']) =>
      appendLine({ path: 'logs/all.jsonl', line, sameBy, mode: 0o600 }, context),
    text: () => fs.readFileSync(file, 'utf8'),
  };
}

describe('appending a line', () => {
  it('creates the file and its folder, and adds each line once', async () => {
    const { append, text, file } = site();
    for (const id of [1, 2, 2, 1, 3]) expect(await append({ id, said: `line ${id}` })).toEqual({});
    expect(text()).toBe([1, 2, 3].map((id) => `{"id":${id},"said":"line ${id}"}\n`).join(''));
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(join(file, '..'))).toEqual(['all.jsonl']);
  });

  it('identifies lines by the given members, however deep they are', async () => {
    const { append, text } = site();
    await append({ id: 1, content: [{ a: 1 }] }, ['id', 'content']);
    await append({ id: 1, content: [{ a: 2 }] }, ['id', 'content']);
    await append({ id: 1, content: [{ a: 1 }] }, ['id', 'content']);
    expect(text().split('\n')).toHaveLength(3);
  });

  it('removes an incomplete line left by a crash, and writes it again', async () => {
    const { append, text, file } = site();
    await append({ id: 1 });
    const line = JSON.stringify({ id: 2, said: 'ä€😀' });
    const bytes = Buffer.from(line);
    for (let length = 1; length <= bytes.length; length += 1) {
      fs.writeFileSync(file, Buffer.concat([Buffer.from('{"id":1}\n'), bytes.subarray(0, length)]));
      await append(JSON.parse(line));
      expect(text()).toBe(`{"id":1}\n${line}\n`);
    }
  });

  it.each(['my own remark', '[1, 2]', '{"mine": true}', '"text"'])(
    'keeps a foreign last line without a newline: %s',
    async (mine) => {
      const { append, text, file } = site();
      await append({ id: 1 });
      fs.appendFileSync(file, mine);
      await append({ id: 2 });
      expect(text()).toBe(`{"id":1}\n${mine}\n{"id":2}\n`);
    },
  );

  it('finds an existing line among lines of any length', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(200_000), { minLength: 1, maxLength: 12 }), async (lengths) => {
        const { append, text } = site();
        for (const [id, length] of lengths.entries()) await append({ id, said: 'x'.repeat(length) });
        const before = text();
        for (const id of lengths.keys()) await append({ id });
        expect(text()).toBe(before);
      }),
      { numRuns: 20 },
    );
  });

  it('stays inside its root', async () => {
    const context = effectContext(temporaryFolder());
    const refused = await appendLine({ path: '../out.jsonl', line: {}, sameBy: [] }, context);
    expect(refused.failure).toMatchObject({ type: 'unsafe-path' });
  });
});
