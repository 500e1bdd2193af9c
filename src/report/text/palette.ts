/** The colours of the terminal output, or none. */
export interface Palette {
  good(text: string): string;
  bad(text: string): string;
  notice(text: string): string;
  faint(text: string): string;
  strong(text: string): string;
}

const asIs = (text: string): string => text;
const PLAIN: Palette = { good: asIs, bad: asIs, notice: asIs, faint: asIs, strong: asIs };
const COLORED: Palette = {
  good: (text) => `\u001b[32m${text}\u001b[39m`,
  bad: (text) => `\u001b[31m${text}\u001b[39m`,
  notice: (text) => `\u001b[33m${text}\u001b[39m`,
  faint: (text) => `\u001b[2m${text}\u001b[22m`,
  strong: (text) => `\u001b[1m${text}\u001b[22m`,
};

export function paletteFor(color: boolean): Palette {
  return color ? COLORED : PLAIN;
}
