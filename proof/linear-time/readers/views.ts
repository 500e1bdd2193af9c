/** Text shown to users. */
import { renderHistory } from '../../../src/converse/history.ts';
import { cutToTokens } from '../../../src/converse/prompt/tokens.ts';
import { fence } from '../../../src/model/fence.ts';
import { renderNotice } from '../../../src/notify/render-notice.ts';
import { notifyTarget, renderRequest } from '../../../src/notify/render-request.ts';
import { renderView } from '../../../src/phases/view.ts';
import { escapeHtml } from '../../../src/report/run-report/escape-html.ts';
import { lastLines, printable, printableLine, printableTalk } from '../../../src/report/text/printable.ts';
import { cutTo, widthOf } from '../../../src/report/text/width.ts';
import { markdownLine } from '../../../src/session/views/markdown-line.ts';
import { type Reader, reader } from '../reader.ts';

const SECTION = { iteration: 1, timestamp: '' };

export const VIEWS: readonly Reader[] = [
  reader('screen', (text) => [
    printable(text),
    printableLine(text),
    printableTalk(text, () => true),
    lastLines(text, 5),
    printable(`\u001b]${text}`),
    printable(`\u009b${text}`),
    escapeHtml(text),
    markdownLine(text),
  ]),
  reader('screen-width', (text) => [widthOf(text), cutTo(text, 20)]),
  reader('phases-view', (text) =>
    renderView(
      {
        ...{ id: 'wf_20260101_000000', task: text, status: 'active', current_phase: 'phase_0' },
        phases: [
          { id: 'phase_0', title: text, agent: text, status: 'failed', error: text, deliverables: [text] },
        ],
      } as unknown as Parameters<typeof renderView>[0],
      [{ content: text, status: 'pending' }],
    ),
  ),
  reader('history', (text) => [
    renderHistory(
      [
        { ...SECTION, role: 'user', content: text },
        {
          ...SECTION,
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'a', name: 'b', input: { text } }],
        },
      ],
      text,
    ),
    fence(text, 'json'),
    cutToTokens(text, 100, '…'),
  ]),
  reader('notification', (text) => {
    const target = notifyTarget('https://example.org/topic', 'ntfy');
    const message = renderNotice(text, { type: 'error', message: text });
    return target.type === 'ok' ? renderRequest(target.value, message) : target;
  }),
];
