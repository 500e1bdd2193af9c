/**
 * Draws the flow as nested boxes, from top to bottom in the order in which steps were first reached. An arrow to the next box is
 * straight; an arrow that skips boxes or leads back runs along the right side.
 */
import { widthOf } from '../text/width.ts';
import { escapeHtml } from './escape-html.ts';
import { type Flow, type FlowEdge, type FlowNode, nodeLabel } from './flow.ts';

const BOX = 32;
const GAP = 26;
const PAD = 14;
const TITLE = 24;
const CHAR = 7.6;
const LANE = 12;

interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function flowSvg(flow: Flow): string {
  const places = new Map<string, Place>();
  const size = layOut(flow, places, { parent: '', x: 4, y: 4 });
  const width = Math.ceil(size.width + 8);
  const height = Math.ceil(size.height + 8);
  const boxes = flow.nodes.map((node) => box(node, places.get(node.id)));
  const arrows = [...new Set(flow.nodes.map((node) => node.parent))].flatMap((parent) =>
    arrowsIn(flow, places, parent),
  );
  const head =
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker></defs>';
  return `<svg role="img" aria-label="flow" viewBox="0 0 ${width} ${height}" width="${width}">${head}${boxes.join('')}${arrows.join('')}</svg>`;
}

/** Stacks the boxes of one list; returns the space they need. */
function layOut(
  flow: Flow,
  places: Map<string, Place>,
  at: { readonly parent: string; readonly x: number; readonly y: number },
): { readonly width: number; readonly height: number } {
  let { y } = at;
  let width = 0;
  const nodes = flow.nodes.filter((node) => node.parent === at.parent);
  for (const node of nodes) {
    const inner = node.holds
      ? layOut(flow, places, { parent: node.id, x: at.x + PAD, y: y + TITLE + PAD })
      : { width: 0, height: 0 };
    const place: Place = {
      x: at.x,
      y,
      width: Math.max(widthOf(nodeLabel(node, '')) * CHAR + 2 * PAD, node.holds ? inner.width + 2 * PAD : 0),
      height: node.holds ? TITLE + 2 * PAD + inner.height : BOX,
    };
    places.set(node.id, place);
    width = Math.max(width, place.width);
    y += place.height + GAP;
  }
  const lanes = edgesIn(flow, nodes).filter((edge) => !isNext(nodes, edge)).length;
  return { width: width + (lanes === 0 ? 0 : (lanes + 1) * LANE + 28), height: Math.max(0, y - at.y - GAP) };
}

function arrowsIn(flow: Flow, places: ReadonlyMap<string, Place>, parent: string): readonly string[] {
  const nodes = flow.nodes.filter((node) => node.parent === parent);
  const right = Math.max(...nodes.map((node) => rightOf(places.get(node.id))));
  let lane = 0;
  return edgesIn(flow, nodes).map((edge) => {
    const from = places.get(edge.from);
    const to = places.get(edge.to);
    if (from === undefined || to === undefined) return '';
    const times = edge.count > 1 ? `×${edge.count}` : '';
    if (isNext(nodes, edge)) {
      const x = from.x + 24;
      const y = from.y + from.height;
      const words = times === '' ? '' : `<text class="small" x="${x + 6}" y="${y + 16}">${times}</text>`;
      return `<path class="arrow" d="M${x} ${y}V${to.y}" marker-end="url(#head)"/>${words}`;
    }
    lane += 1;
    const x = round(right + lane * LANE);
    const start = from.y + from.height - 10;
    const end = to.y + 10;
    const path = `M${round(rightOf(from))} ${start}H${x}V${end}H${round(rightOf(to) + 1)}`;
    const words =
      times === '' ? '' : `<text class="small" x="${x + 4}" y="${round((start + end) / 2)}">${times}</text>`;
    return `<path class="arrow" d="${path}" marker-end="url(#head)"/>${words}`;
  });
}

function edgesIn(flow: Flow, nodes: readonly FlowNode[]): readonly FlowEdge[] {
  const ids = new Set(nodes.map((node) => node.id));
  return flow.edges.filter((edge) => ids.has(edge.from) && ids.has(edge.to));
}

function isNext(nodes: readonly FlowNode[], edge: FlowEdge): boolean {
  const index = nodes.findIndex((node) => node.id === edge.from);
  return nodes[index + 1]?.id === edge.to;
}

function box(node: FlowNode, place: Place | undefined): string {
  if (place === undefined) return '';
  const status =
    node.failed > 0
      ? 'failed'
      : (node.unverified ?? 0) > 0
        ? 'unverified'
        : node.completed > 0
          ? 'completed'
          : node.skipped > 0
            ? 'skipped'
            : 'running';
  const kind = node.holds ? 'holder' : 'node';
  return (
    `<rect class="${kind} ${status}" x="${place.x}" y="${place.y}" width="${round(place.width)}" height="${place.height}" rx="6"/>` +
    `<text x="${place.x + PAD}" y="${place.y + 21}">${escapeHtml(nodeLabel(node, ''))}</text>`
  );
}

function rightOf(place: Place | undefined): number {
  return place === undefined ? 0 : place.x + place.width;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
