import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskText } from '../../src/process/mask.ts';
import { PEM } from './pem.ts';

const SECRET = `pa<ss>&"wo'rd"/+é=?x y`;

/** The output of a script that reads the secret on standard input. */
function printedBy(script: string, secret: string): string {
  const { stdout, status } = spawnSync('bash', ['-c', script], { input: secret, encoding: 'utf8' });
  expect(status).toBe(0);
  return stdout;
}

describe('a secret is found', () => {
  it.each([
    ['as it is', 'cat'],
    ['in base64', 'base64 -w0'],
    ['in base64 with a newline after it', '(cat; echo) | base64 -w0'],
    ['in base64 that is wrapped', '(cat; cat /dev/null; echo) | base64'],
    ['in the middle of a basic authorization', '(printf user:; cat; printf :more) | base64 -w0'],
    ['one byte further into base64', '(printf ab; cat; printf c) | base64 -w0'],
    ['in base64url', "base64 -w0 | tr '+/' '-_'"],
    ['in hex', "od -An -v -tx1 | tr -d ' \\n'"],
    ['in upper-case hex', "od -An -v -tx1 | tr -d ' \\n' | tr a-f A-F"],
    [
      'percent-encoded',
      `python3 -c "import sys,urllib.parse as u; print(u.quote(sys.stdin.read(), safe=''))"`,
    ],
    [
      'percent-encoded except for slashes',
      'python3 -c "import sys,urllib.parse as u; print(u.quote(sys.stdin.read()))"',
    ],
    ['in a form', 'python3 -c "import sys,urllib.parse as u; print(u.quote_plus(sys.stdin.read()))"'],
    ['in HTML', 'python3 -c "import sys,html; print(html.escape(sys.stdin.read()))"'],
    ['in HTML text', 'python3 -c "import sys,html; print(html.escape(sys.stdin.read(), quote=False))"'],
    ['in JSON', 'python3 -c "import sys,json; print(json.dumps(sys.stdin.read(), ensure_ascii=False))"'],
    ['in JSON as ASCII', 'python3 -c "import sys,json; print(json.dumps(sys.stdin.read()))"'],
    [
      'in JSON inside JSON',
      'python3 -c "import sys,json; print(json.dumps(json.dumps(sys.stdin.read(), ensure_ascii=False), ensure_ascii=False))"',
    ],
    ['in the trace of a shell', `v=$(cat); printf "'%s'" "\${v//'/'\\\\''}"`],
  ])('%s', (_, script) => {
    for (const secret of [SECRET, 'sk-live-0123456789abcdefghij', PEM.trim()]) {
      const printed = printedBy(script, secret);
      const masked = maskText(printed, [secret]);
      expect(masked).toContain('***');
      for (const word of telltales(secret)) expect(everyReading(masked)).not.toContain(word);
    }
  });

  it('line by line if it has several', () => {
    const quoted = PEM.split('\n').map((line) => `> ${line}\r`);
    const masked = maskText(quoted.join('\n'), [PEM]);
    for (const line of PEM.split('\n').filter((each) => each.length >= 8 && !each.startsWith('-----')))
      expect(masked).not.toContain(line);
    expect(masked).toContain('-----BEGIN');
  });

  it('in base64 and hex at any position, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 5 }),
        fc.string({ minLength: 8 }),
        fc.uint8Array({ maxLength: 5 }),
        (before, secret, after) => {
          fc.pre(secret.trim().length >= 8);
          const bytes = Buffer.concat([before, Buffer.from(secret.trim()), after]);
          for (const encoding of ['base64', 'base64url', 'hex'] as const)
            expect(maskText(bytes.toString(encoding), [secret])).toContain('***');
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('but not where a short form occurs by chance', () => {
    const hex = Buffer.from('1234').toString('hex');
    expect(maskText('MTIz 3132 31323', ['123'])).toBe('MTIz 3132 31323');
    expect(maskText(`${hex} MTIzNA==`, ['1234'])).toBe('*** ***');
    expect(maskText('IzND', ['1234'])).toBe('IzND');
  });
});

/** Pieces of a secret that occur nowhere else in these texts. */
function telltales(secret: string): readonly string[] {
  const lines = secret.split('\n').filter((line) => !line.startsWith('-----'));
  return lines.flatMap((line) => (line.length < 8 ? [] : [line.slice(0, 8), line.slice(-8)]));
}

/** The text, and its words decoded. */
function everyReading(text: string): string {
  const words = text.match(/[\w+/=-]{8,}/g) ?? [];
  const decoded = words.flatMap((word) => [
    Buffer.from(word, 'base64').toString(),
    Buffer.from(word, 'hex').toString(),
  ]);
  return [text, ...decoded].join('\n');
}
