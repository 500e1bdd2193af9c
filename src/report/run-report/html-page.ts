/** One self-contained page: no script, nothing fetched, and text is never markup. */
import { printable, printableLine } from '../text/printable.ts';
import { escapeHtml } from './escape-html.ts';

const STYLE = `:root{color-scheme:light dark;--fg:#1b1f24;--bg:#fff;--soft:#667;--line:#d8dce2;--fill:#f4f6f8;--good:#2e7d32;--bad:#c62828;--wait:#b26a00;--run:#1565c0}
@media(prefers-color-scheme:dark){:root{--fg:#e6e8eb;--bg:#14171a;--soft:#9aa3ad;--line:#343a41;--fill:#1d2226;--good:#66bb6a;--bad:#ef5350;--wait:#ffb74d;--run:#64b5f6}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.2rem;border-bottom:1px solid var(--line)}h3{font-size:1rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.2rem .7rem .2rem 0;vertical-align:top;border-bottom:1px solid var(--line);white-space:nowrap}
th{color:var(--soft);font-weight:500}th.num,td.num{text-align:right}td.long{min-width:11rem;white-space:normal;overflow-wrap:anywhere}
pre{background:var(--fill);padding:.7rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;border-radius:6px}
.completed{color:var(--good)}.failed,.cancelled{color:var(--bad)}.skipped{color:var(--soft)}.waiting,.interrupted,.running,.unverified{color:var(--wait)}
.soft{color:var(--soft)}.wide{overflow-x:auto}.wide svg{min-width:40rem}
svg text{font:13px ui-monospace,monospace;fill:var(--fg)}svg text.small{font-size:11px;fill:var(--soft)}
.grid{stroke:var(--line)}.bar{fill:var(--run)}.bar.completed{fill:var(--good)}.bar.failed,.bar.cut-off{fill:var(--bad)}.bar.question{fill:var(--wait)}
.node,.holder{fill:var(--fill);stroke:var(--soft)}.holder{fill:none;stroke-dasharray:4 3}.node.completed{stroke:var(--good)}.node.failed,.holder.failed{stroke:var(--bad);stroke-width:2}
.arrow{fill:none;stroke:var(--soft)}.head{fill:var(--soft)}`;

/** `sections` are HTML; empty ones are left out. */
export function htmlPage(title: string, sections: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${text(title)}</title>
<style>
${STYLE}
</style>
</head>
<body>
${sections.filter((section) => section !== '').join('\n')}
</body>
</html>
`;
}

export interface Title {
  readonly name: string;
  readonly kind: 'num';
}

export function numbers(name: string): Title {
  return { name, kind: 'num' };
}

/** A table as wide as its text. In a narrower window it scrolls, and only long cells wrap. */
export function table(head: readonly (string | Title)[], rows: readonly (readonly string[])[]): string {
  const title = (of: string | Title): string =>
    typeof of === 'string' ? `<th>${text(of)}</th>` : `<th class="${of.kind}">${text(of.name)}</th>`;
  const titles = head.length === 0 ? '' : `<thead><tr>${head.map(title).join('')}</tr></thead>`;
  const body = rows.map((cells) => `<tr>${cells.join('')}</tr>`).join('\n');
  return `<div class="wide"><table>${titles}<tbody>${body}</tbody></table></div>`;
}

export function cell(words: string, kind = ''): string {
  return kind === '' ? `<td>${text(words)}</td>` : `<td class="${kind}">${text(words)}</td>`;
}

export function text(words: string): string {
  return escapeHtml(printableLine(words));
}

export function block(words: string): string {
  return `<pre>${escapeHtml(printable(words))}</pre>`;
}
