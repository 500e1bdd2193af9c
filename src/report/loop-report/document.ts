/** A small document that is rendered as Markdown and as HTML, so that both say the same. */
import { unreachable } from '../../model/unreachable.ts';
import { cell, htmlPage, table as htmlTable, numbers, text } from '../run-report/html-page.ts';
import { escaped, table } from '../run-report/render-markdown.ts';

export type Block =
  | { readonly type: 'heading'; readonly level: 1 | 2 | 3; readonly text: string }
  | { readonly type: 'paragraph'; readonly text: string }
  | { readonly type: 'list'; readonly lines: readonly string[] }
  | {
      readonly type: 'table';
      /** Empty: without a head. */
      readonly head: readonly Column[];
      readonly rows: readonly (readonly string[])[];
    };

/** Numbers are aligned to the right. */
export type Column = string | { readonly name: string; readonly kind: 'num' };

export type Document = readonly Block[];

export function documentMarkdown(document: Document): string {
  return `${document.map(markdownOf).join('\n\n')}\n`;
}

function markdownOf(block: Block): string {
  switch (block.type) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${escaped(block.text)}`;
    case 'paragraph':
      return escaped(block.text);
    case 'list':
      return block.lines.map((line) => `- ${escaped(line)}`).join('\n');
    case 'table': {
      const width = block.rows[0]?.length ?? 0;
      const head = block.head.length === 0 ? Array.from({ length: width }, () => '') : block.head.map(nameOf);
      return table(
        head.map(escaped),
        block.rows.map((row) => row.map(escaped)),
      );
    }
    default:
      return unreachable(block);
  }
}

export function documentHtml(title: string, document: Document): string {
  return htmlPage(title, document.map(htmlOf));
}

function htmlOf(block: Block): string {
  switch (block.type) {
    case 'heading':
      return `<h${block.level}>${text(block.text)}</h${block.level}>`;
    case 'paragraph':
      return `<p>${text(block.text)}</p>`;
    case 'list':
      return `<ul>${block.lines.map((line) => `<li>${text(line)}</li>`).join('')}</ul>`;
    case 'table':
      return htmlTable(
        block.head.map((column) => (typeof column === 'string' ? column : numbers(column.name))),
        block.rows.map((row) => row.map((words, at) => cell(words, kindOf(block.head[at], at, row.length)))),
      );
    default:
      return unreachable(block);
  }
}

function nameOf(column: Column): string {
  return typeof column === 'string' ? column : column.name;
}

/** The last column holds prose. */
function kindOf(column: Column | undefined, at: number, width: number): string {
  if (typeof column === 'object') return column.kind;
  return at === width - 1 ? 'long' : '';
}
