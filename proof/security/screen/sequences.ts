/** Control sequences that change what a terminal does or shows. */
import { must, shortened } from '../../must.ts';

/** Each ends in a word by which it can be found in the output. */
const SEQUENCES: Readonly<Record<string, string>> = {
  title: '\u001b]0;owned\u0007',
  clipboard: '\u001b]52;c;b3duZWQ=\u0007',
  link: '\u001b]8;;http://evil.example\u001b\\owned',
  clear: '\u001b[2J\u001b[H',
  report: '\u001b[6n\u001b[c\u001b[21t',
  colour: '\u001b[38;5;201;47m',
  dcs: '\u001bP$qm\u001b\\',
  apc: '\u001b_Gi=1\u001b\\',
  reset: '\u001bc',
  charset: '\u001b(0\u000e',
  'c1-csi': '\u009b2J',
  'c1-osc': '\u009d0;owned\u009c',
  bell: '\u0007\u0008\u007f',
  return: 'good\rOWNED',
  bidi: '\u202eowned\u2066x\u2069\u200f\u200e\u061c\u202a\u202b\u202c\u202d\u2067\u2068',
  'zero-width': 'a\u200bb\u200cc\u200dd\u2060e\ufefff\u180e',
  lines: '\u2028\u2029\u0085\u000b\u000c',
};

/** All sequences, concatenated. */
export const EVERY_SEQUENCE = Object.values(SEQUENCES).join('owned ');

const ONE_BY_ONE: ReadonlySet<string> = new Set(['bidi', 'zero-width', 'lines', 'bell']);

/** The output contains none of them; the program's own colors and cursor movements differ. */
export function mustBeHarmless(text: string, what: string): void {
  for (const [name, sequence] of Object.entries(SEQUENCES)) {
    if (name === 'return') continue;
    const parts = [sequence, ...(ONE_BY_ONE.has(name) ? sequence.replace(/\w/g, '').split('') : [])];
    for (const part of parts)
      must(!text.includes(part), () => ({
        expected: `${what} without the sequence \`${name}\``,
        found: JSON.stringify(shortened(text.slice(Math.max(0, text.indexOf(part) - 100)), 300)),
      }));
  }
}
