import { Lexer } from 'yaml';

/**
 * Accepts a quoted text whose closing quote is indented no deeper than its key, as most YAML parsers do:
 *
 *     command: ["bash", "-c", "
 *       echo one
 *     "]
 *
 * The library allows the same for a closing bracket. It asks `continueScalar` whether the line at an offset still belongs to
 * the scalar that starts at `pos`; -1 means no.
 */
export function createLexer(): Lexer {
  const lexer = new Lexer();
  const inner = lexer as unknown as LexerInside;
  const strict = inner.continueScalar;
  if (typeof strict !== 'function') return lexer;
  inner.continueScalar = (offset) => {
    const end = strict.call(inner, offset);
    if (end !== -1) return end;
    const quote = inner.buffer[inner.pos];
    if (quote !== '"' && quote !== "'") return -1;
    let at = offset;
    while (inner.buffer[at] === ' ') at += 1;
    return at - offset === inner.indentNext - 1 && inner.buffer[at] === quote ? at : -1;
  };
  return lexer;
}

interface LexerInside {
  readonly buffer: string;
  readonly pos: number;
  readonly indentNext: number;
  continueScalar: ((offset: number) => number) | undefined;
}
