import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import { renderDiagnostics } from '../../src/report/render-diagnostic.ts';

/** Marks the text between « and ». */
function about(marked: string, more: Partial<Diagnostic> = {}): Diagnostic {
  const start = marked.indexOf('«');
  const end = marked.indexOf('»') - 1;
  const file = { path: 'flows/ship.yaml', text: marked.replace('«', '').replace('»', '') };
  return { code: 'a/b', severity: 'error', message: 'it is wrong', range: { file, start, end }, ...more };
}

function rendered(...diagnostics: Diagnostic[]): string {
  return renderDiagnostics(diagnostics, { color: false });
}

describe('a diagnostic', () => {
  it('shows the line and marks the place', () => {
    const place = about('one\ntwo: «three» four\nfive\n');
    const related = [{ message: 'the first is here', range: about('«one»\n').range ?? never() }];
    expect(rendered({ ...place, related, help: 'do it right' })).toBe(
      [
        'error[a/b]: it is wrong',
        ' --> flows/ship.yaml:2:6',
        '  |',
        '2 | two: three four',
        '  |      ^^^^^',
        'note: the first is here',
        ' --> flows/ship.yaml:1:1',
        'help: do it right',
        '',
        '1 error in flows/ship.yaml',
        '',
      ].join('\n'),
    );
  });

  it('aligns the gutter with the number of the line', () => {
    const text = rendered(about(`${'\n'.repeat(99)}«x»`));
    expect(text).toContain('\n   --> flows/ship.yaml:100:1\n    |\n100 | x\n    | ^\n');
  });

  it.each([
    ['a tab before the place', '\tab: «x»', '1 |     ab: x', '  |         ^'],
    ['wide characters before the place', '日本: «x»', '1 | 日本: x', '  |       ^'],
    ['wide characters in the place', '«日本»', '1 | 日本', '  | ^^^^'],
    ['an emoji of several code points', '«👩‍💻» x', '1 | 👩‍💻 x', '  | ^^'],
    ['a combining mark', 'e\u0301«x»', '1 | e\u0301x', '  |  ^'],
    ['a place at the end of a line', 'abc«»', '1 | abc', '  |    ^'],
    ['an empty line', '«»\nx', '1 |', '  | ^'],
    ['a line that ends with CRLF', 'ab: «x»\r\ncd', '1 | ab: x', '  |     ^'],
    ['a place over several lines', 'ab: «[x,  \n y]»', '1 | ab: [x,', '  |     ^^^'],
  ])('stands right with %s', (_, marked, line, carets) => {
    expect(rendered(about(marked)).split('\n').slice(3, 5)).toEqual([line, carets]);
  });

  it('counts columns in code points', () => {
    expect(rendered(about('😀日«x»'))).toContain('ship.yaml:1:3\n');
  });

  it('shortens a long line around the place', () => {
    const [, , , line = '', carets = ''] = rendered(about(`${'a'.repeat(200)}«bcd»${'e'.repeat(200)}`)).split(
      '\n',
    );
    expect(line).toBe(`1 | …${'a'.repeat(30)}bcd${'e'.repeat(65)}…`);
    expect(carets).toBe(`  | ${' '.repeat(31)}^^^`);
  });

  it('cannot control the terminal', () => {
    const text = rendered(
      about('\x1b[2J«x»\u202e\x9b', { message: 'found `\x1b]0;title\x07`', help: 'not \r\nthis' }),
    );
    expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
    expect(text).toContain('␛[2Jx');
    expect(text).toContain('help: not ␊this');
  });

  it('names only the file if there is no text to show', () => {
    expect(rendered({ code: 'a/b', severity: 'error', message: 'cannot be read', path: 'x.yaml' })).toBe(
      'error[a/b]: cannot be read\n  --> x.yaml\n\n1 error in x.yaml\n',
    );
  });

  it('is coloured on request', () => {
    const text = renderDiagnostics([about('«x»', { severity: 'warning' })], { color: true });
    expect(text).toContain('\x1b[1;33mwarning[a/b]\x1b[0m: ');
    expect(text.replaceAll(/\x1b\[[\d;]*m/g, '')).toBe(rendered(about('«x»', { severity: 'warning' })));
  });
});

describe('several diagnostics', () => {
  it('are counted by kind and file', () => {
    const other = { code: 'a/b', severity: 'error', message: 'm', path: 'other.yaml' } as const;
    expect(rendered(about('«x»'), about('«x»', { severity: 'warning' }), other)).toMatch(
      /\n2 errors and 1 warning in 2 files\n$/,
    );
  });

  it('are an empty string when there are none', () => {
    expect(rendered()).toBe('');
  });
});

function never(): never {
  throw new Error('unreachable');
}
