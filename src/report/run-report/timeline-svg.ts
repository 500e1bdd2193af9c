import { durationText } from '../../model/amounts.ts';
import { cutTo } from '../text/width.ts';
import { escapeHtml } from './escape-html.ts';
import { lengthMs } from './selection.ts';
import type { Span } from './timeline.ts';
import { nameOf } from './words.ts';

const WIDTH = 960;
const LEFT = 240;
const ROW = 22;
const HEAD = 24;
const TICKS = 5;
/** A longer name would overlap the first bar. */
const NAME_COLUMNS = 30;

/** Draws one bar per span on a common time scale. */
export function timelineSvg(spans: readonly Span[]): string {
  const begin = Math.min(...spans.map((span) => Date.parse(span.started_at)));
  const end = Math.max(begin + 1, ...spans.map((span) => Date.parse(span.ended_at)));
  const height = HEAD + spans.length * ROW + 4;
  const scale = (WIDTH - LEFT - 10) / (end - begin);
  const parts: string[] = [];
  for (let tick = 0; tick <= TICKS; tick += 1) {
    const x = round(LEFT + ((WIDTH - LEFT - 10) * tick) / TICKS);
    const words = durationText(((end - begin) * tick) / TICKS);
    parts.push(`<line class="grid" x1="${x}" y1="${HEAD - 4}" x2="${x}" y2="${height}"/>`);
    parts.push(
      `<text class="small" x="${x}" y="12" text-anchor="${tick === TICKS ? 'end' : tick === 0 ? 'start' : 'middle'}">${escapeHtml(words)}</text>`,
    );
  }
  for (const [index, span] of spans.entries()) {
    const y = HEAD + index * ROW;
    const x = round(LEFT + (Date.parse(span.started_at) - begin) * scale);
    const width = round(Math.max(2, lengthMs(span) * scale));
    const name = `${nameOf(span)}${span.attempt > 1 ? ` (attempt ${span.attempt})` : ''}`;
    const title = `${name}: ${durationText(lengthMs(span))}, ${span.status === 'cut-off' ? 'interrupted' : span.status}`;
    parts.push(
      `<g><title>${escapeHtml(title)}</title><text x="0" y="${y + 14}">${escapeHtml(cutTo(name, NAME_COLUMNS))}</text>`,
      `<rect class="bar ${span.type === 'question' ? 'question' : span.status}" x="${x}" y="${y + 3}" width="${width}" height="${ROW - 8}" rx="3"/></g>`,
    );
  }
  return `<svg role="img" aria-label="timeline" viewBox="0 0 ${WIDTH} ${height}" width="100%">${parts.join('')}</svg>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
