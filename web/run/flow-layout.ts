/** Places the steps of a flow: a list goes from left to right, and what a step contains goes down. Linear in the number of steps. */
import type { Flow, FlowNode } from '../../src/operations/live/flow.ts';
import { LONGEST_NAME } from '../graph.tsx';
import { durationText, usdText } from '../words.ts';

export interface Box {
  readonly node: FlowNode;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly meta: string;
  /** It is drawn around others. */
  readonly isHolder: boolean;
}

export interface Arrow {
  readonly path: string;
  readonly isPlanned: boolean;
  readonly label?: { readonly text: string; readonly x: number; readonly y: number };
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
}

const NODE_HEIGHT = 44;
const GAP = 19;
const DOWN = 12;
const PAD = 12;
const TOP = 28;
const MOST_NODES = 200;
const KINDS: { readonly [type: string]: string } = {
  'for-each': 'for each',
  repeat: 'repeat',
  parallel: 'in parallel',
  graph: 'graph',
  call: 'workflow',
};

interface Sized {
  readonly node: FlowNode;
  readonly width: number;
  readonly height: number;
  readonly meta: string;
  readonly inner: readonly Sized[];
}

export function layout({ nodes, finally: last }: Flow): Drawing {
  const all = [...nodes, ...last];
  const isFolded = count(all) > MOST_NODES;
  const row = all.slice(0, MOST_NODES).map((node) => size(node, isFolded));
  const tallest = Math.max(NODE_HEIGHT, ...row.map(({ height }) => height));
  const middle = 16 + tallest / 2;
  const boxes: Box[] = [];
  const arrows: Arrow[] = [];
  const centers = new Map<string, { readonly x: number; readonly bottom: number }>();
  let x = 16;
  for (const [index, item] of row.entries()) {
    place(item, { x, y: middle - item.height / 2 }, boxes, arrows);
    centers.set(item.node.name, { x: x + item.width / 2, bottom: middle + item.height / 2 });
    if (index > 0)
      arrows.push({ path: `M${x - GAP} ${middle}H${x - 4}`, isPlanned: item.node.stats === undefined });
    x += item.width + GAP;
  }
  let depth = 16 + tallest + 16;
  for (const { node } of row) {
    for (const { to, taken, on } of node.gotos ?? []) {
      const [start, end] = [centers.get(node.name), centers.get(to)];
      if (start === undefined || end === undefined || taken === 0 || end.x > start.x) continue;
      const text = `goto on ${on} · ×${taken}`;
      arrows.push({
        path: `M${start.x} ${start.bottom}V${depth - 8}q0 8 -8 8H${end.x + 8}q-8 0 -8 -8V${end.bottom + 5}`,
        isPlanned: false,
        label: { text, x: (start.x + end.x) / 2, y: depth },
      });
      depth += 18;
    }
  }
  return { width: x - GAP + 16, height: depth, boxes, arrows };
}

function count(nodes: readonly FlowNode[]): number {
  return nodes.reduce((sum, node) => sum + 1 + count(innerOf(node)), 0);
}

function innerOf({ steps = [], branches = [] }: FlowNode): readonly FlowNode[] {
  return [...steps, ...branches.flatMap((branch) => branch.steps)];
}

/** As many as are shown. */
function lettersOf({ name }: FlowNode): number {
  return Math.min(name.length, LONGEST_NAME);
}

function size(node: FlowNode, isFolded: boolean): Sized {
  const inner = isFolded ? [] : innerOf(node).map((each) => size(each, isFolded));
  const meta = metaOf(node);
  if (inner.length === 0)
    return {
      node,
      meta,
      inner,
      height: NODE_HEIGHT,
      width: Math.max(84, lettersOf(node) * 7 + 52, meta.length * 5.4 + 24),
    };
  const widest = Math.max(...inner.map(({ width }) => width), lettersOf(node) * 6.6 + meta.length * 5.5 + 10);
  const height = inner.reduce((sum, each) => sum + each.height + DOWN, TOP + PAD - DOWN);
  return { node, meta, inner, width: widest + 2 * PAD, height };
}

function place(
  item: Sized,
  at: { readonly x: number; readonly y: number },
  boxes: Box[],
  arrows: Arrow[],
): void {
  const { node, width, height, meta, inner } = item;
  boxes.push({ node, meta, ...at, width, height, isHolder: inner.length > 0 });
  let y = at.y + TOP;
  const isOrdered = node.type === 'for-each' || node.type === 'repeat' || node.type === 'call';
  for (const [index, each] of inner.entries()) {
    place({ ...each, width: width - 2 * PAD }, { x: at.x + PAD, y }, boxes, arrows);
    if (index > 0 && isOrdered)
      arrows.push({ path: `M${at.x + width / 2} ${y - DOWN}v8.5`, isPlanned: each.node.stats === undefined });
    y += each.height + DOWN;
  }
}

function metaOf({ type, stats }: FlowNode): string {
  const kind = KINDS[type];
  if (kind !== undefined) {
    if (stats?.items === undefined || stats.items_done === stats.items) return kind;
    return `${kind} · ${stats.items_done} of ${stats.items}`;
  }
  if (stats === undefined) return 'not reached';
  if (stats.status === 'waiting') return 'waits for you';
  if (stats.status === 'running') return 'running';
  // How long it had run is not known.
  if (stats.status === 'interrupted' && stats.duration_ms === 0) return 'interrupted';
  if (stats.ran === 0) return stats.skipped > 1 ? `skipped ${stats.skipped} times` : 'skipped';
  const parts = [
    stats.ran > 1
      ? `${stats.ran} × ${durationText(stats.duration_ms / stats.ran)}`
      : durationText(stats.duration_ms),
  ];
  if (stats.cost_usd !== undefined)
    parts.push(stats.cost_usd === null ? 'cost unknown' : usdText(stats.cost_usd));
  if (stats.skipped > 0) return `${stats.ran} ran, ${stats.skipped} skipped`;
  if (stats.failed > 0 && stats.ran > 1) parts.push(`${stats.failed} failed`);
  return parts.join(' · ');
}
