/** Text that tries to become markup of the report. */
import { must, shortened } from '../must.ts';
import { createSite } from '../site/site.ts';
import type { Point } from '../suite.ts';

const MARKUP = [
  '<script>owned()</script>',
  '<img src=x onerror=owned()>',
  '"><svg onload=owned()>',
  "'><a href='javascript:owned()'>x</a>",
  '[click](javascript:owned())',
  '![x](javascript:owned())',
  '</pre></code></td></table><iframe src=//evil>',
  '```\n</details><script>owned()</script>\n```',
  '<!-- --><style>*{display:none}</style>',
  '&lt;script&gt;',
].join('\n');

export function reportPoint(): Point {
  return {
    id: 'report/markup',
    async check(trial) {
      const site = createSite(trial);
      const line = MARKUP.replaceAll('\n', ' ');
      site.write({ 'evil.txt': MARKUP, 'out/<script>owned()<script>.md': 'x' });
      const steps = [
        { name: 'Say', command: ['cat', 'evil.txt'], agent: line },
        {
          name: 'Fail',
          command: ['sh', '-c', 'cat evil.txt >&2; exit 1'],
          on: { failure: { goto: 'Loop' } },
        },
        { name: 'Loop', for_each: { items: [line], steps: [{ name: 'In', command: ['echo', '${item}'] }] } },
        {
          name: 'File',
          command: ['sh', '-c', 'cat evil.txt'],
          output_file: 'out/<img src=x onerror=owned()>.txt',
        },
        { name: 'Agent', provider: 'actor', input_file: 'evil.txt' },
        { name: 'Ask', approve: { message: line } },
      ];
      const providers = {
        actor: {
          adapter: 'mock',
          script: { answer: MARKUP, tools: [{ name: line, input: { x: line }, output: MARKUP }] },
        },
      };
      site.write({
        'work.yaml': JSON.stringify({ name: `work ${line}`, context: { x: line }, providers, steps }),
      });
      await site.run(['run', 'work.yaml', '--quiet']);
      const html = (await site.ok(['report', 'last', '--format', 'html'])).stdout;
      for (const evil of [
        '<script>owned',
        '<img src=x',
        '<svg onload',
        'href="javascript:',
        "href='javascript:",
        '<iframe',
        '<style>*{display',
      ])
        must(!html.includes(evil), () => ({
          expected: 'a page without foreign markup',
          found: shortened(html.slice(Math.max(0, html.indexOf(evil) - 150)), 400),
          where: evil,
        }));
      must(/Content-Security-Policy/i.test(html) || !/<script/i.test(html), () => ({
        expected: 'a page without scripts',
        found: 'a script',
      }));
      const markdown = (await site.ok(['report', 'last', '--format', 'md'])).stdout;
      mustBeInert(markdown);
    },
  };
}

/** Outside of code blocks, none of it is markup. */
function mustBeInert(markdown: string): void {
  let fence: string | undefined;
  for (const line of markdown.split('\n')) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined && mark !== undefined) {
      fence = mark;
      continue;
    }
    if (fence !== undefined) {
      if (mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark)
        fence = undefined;
      continue;
    }
    const plain = line.replace(/(`+)(?!`).*?[^`]\1(?!`)/g, '');
    const evil = /(?<!\\)<(?:script|img|svg|iframe|style)|(?<!\\)\]\(javascript:/i.exec(plain);
    must(evil === null, () => ({
      expected: 'Markdown without foreign markup',
      found: shortened(line, 400),
    }));
  }
  must(fence === undefined, () => ({ expected: 'every fence closed', found: 'an open one' }));
}
