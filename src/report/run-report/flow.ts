/**
 * Which step followed which. Iterations and visits of one step are one node; an arrow has the number of times the run took it.
 */

import { isShown } from '../../model/effect.ts';
import type { JournalEvent } from '../../model/event.ts';
import type { Failure } from '../../model/failure.ts';
import { ownerOf } from '../../model/ids.ts';
import { notedIn } from '../../model/noted.ts';
import { UNVERIFIED } from '../../model/text-only-agent.ts';

export interface FlowNode {
  /** The step's key without iterations and visits: `Loop/Compile`. */
  readonly id: string;
  readonly label: string;
  /** The node that contains it; empty at the top. */
  readonly parent: string;
  readonly holds: boolean;
  readonly completed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Only the exit code of its agent is known. */
  readonly unverified?: number;
}

export interface FlowEdge {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

export interface Flow {
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
}

/** `Build ✓2 ✗`: its name, and how often it ended in each way; `gap` is put before a number. */
export function nodeLabel(node: FlowNode, gap: string): string {
  const counts = [
    [node.completed, '✓'],
    [node.unverified ?? 0, '!'],
    [node.failed, '✗'],
    [node.skipped, '○'],
  ] as const;
  const said = counts
    .filter(([count]) => count > 0)
    .map(([count, mark]) => (count === 1 ? mark : `${mark}${gap}${count}`));
  return [node.label, ...said].join(' ');
}

type Counted = { -readonly [Field in keyof FlowNode]: FlowNode[Field] };
type Ending = 'completed' | 'unverified' | 'failed' | 'skipped';

export function flowOf(events: readonly JournalEvent[]): Flow {
  const flow = new FlowFold();
  for (const event of events) flow.take(event);
  return flow.flow();
}

class FlowFold {
  readonly #containers = new Map<string, string>();
  readonly #nodes = new Map<string, Counted>();
  readonly #edges = new Map<string, { from: string; to: string; count: number }>();
  /** List of steps → the key in it that was started last. */
  readonly #last = new Map<string, string>();
  readonly #seen = new Set<string>();
  readonly #needs: { readonly graph: string; readonly from: string; readonly to: string }[] = [];
  readonly #endings = new Map<string, Ending>();

  take(event: JournalEvent): void {
    if (event.type === 'step-started' && isShown(event.effect)) this.#begun(ownerOf(event.key));
    else if (event.type === 'question-asked') this.#begun(event.key);
    else if (event.type === 'step-ended') this.#stepEnded(event);
  }

  flow(): Flow {
    for (const [key, ending] of this.#endings) {
      const node = this.#nodes.get(this.#place(key).id);
      if (node !== undefined) node[ending] = (node[ending] ?? 0) + 1;
    }
    this.#endings.clear();
    for (const { graph, from, to } of this.#needs.splice(0)) {
      const [source, target] = [from, to].map((name) => this.#place(`${graph}/${name}/${name}`).id);
      if (source !== undefined && target !== undefined && this.#nodes.has(source) && this.#nodes.has(target))
        this.#connect(source, target);
    }
    return { nodes: [...this.#nodes.values()], edges: [...this.#edges.values()] };
  }

  #stepEnded(event: Extract<JournalEvent, { type: 'step-ended' }>): void {
    const noted = notedIn(event);
    if (noted === undefined) {
      if (!isShown(event.effect)) return;
      const { failure, outcome } = event.output as { readonly failure?: Failure; readonly outcome?: string };
      const failed = failure?.type === 'cancelled' ? 'skipped' : 'failed';
      const ended = outcome === UNVERIFIED ? UNVERIFIED : 'completed';
      this.#ended(ownerOf(event.key), failure === undefined ? ended : failed);
    } else if (noted.type === 'container') {
      this.#containers.set(noted.key, noted.kind);
      for (const [name, needed] of Object.entries(noted.needs ?? {})) {
        for (const each of needed) this.#needs.push({ graph: noted.key, from: each, to: name });
      }
      this.#begun(noted.key);
      const node = this.#nodes.get(this.#place(noted.key).id);
      if (node !== undefined) node.holds = true;
    } else if (noted.type === 'record' && noted.record.status !== undefined) {
      this.#ended(noted.key, noted.record.status);
    } else if (noted.type === 'record' && noted.record.outcome === 'done') {
      // Its checks have passed.
      this.#ended(noted.key, 'completed');
    }
  }

  #ended(key: string, ending: Ending): void {
    this.#begun(key);
    this.#endings.set(key, ending);
  }

  #begun(key: string): void {
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const { id, parent, label, list } = this.#place(key);
    if (!this.#nodes.has(id))
      this.#nodes.set(id, { id, label, parent, holds: false, completed: 0, failed: 0, skipped: 0 });
    const before = this.#last.get(list);
    this.#last.set(list, id);
    if (before !== undefined) this.#connect(before, id);
  }

  #connect(from: string, to: string): void {
    const edge = this.#edges.get(`${from}\n${to}`);
    if (edge === undefined) this.#edges.set(`${from}\n${to}`, { from, to, count: 1 });
    else edge.count += 1;
  }

  /** `Loop/3/Fix#2` → node `Loop/Fix` in `Loop`, in the list `Loop/3`. Branches of a `parallel` keep their names. In a `graph`, arrows show what is needed. */
  #place(key: string): {
    readonly id: string;
    readonly parent: string;
    readonly label: string;
    readonly list: string;
  } {
    const segments = key.split('/');
    const shown: string[] = [];
    let parent = '';
    let path = '';
    for (const [index, segment] of segments.entries()) {
      const kind = this.#containers.get(path);
      const isItem = path !== '' && (kind === 'for-each' || kind === 'repeat') && index < segments.length - 1;
      path = path === '' ? segment : `${path}/${segment}`;
      if (isItem) continue;
      const isBranch = (kind === 'parallel' || kind === 'graph') && index < segments.length - 1;
      if (isBranch && unvisited(segments[index + 1] ?? '') === segment) continue;
      if (!isBranch && index < segments.length - 1) parent = [...shown, unvisited(segment)].join('/');
      shown.push(unvisited(segment));
    }
    const inside = parent === '' ? shown : shown.slice(parent.split('/').length);
    return {
      id: shown.join('/'),
      parent: this.#nodes.has(parent) ? parent : '',
      label: (this.#nodes.has(parent) ? inside : shown).join(' / '),
      list: segments.slice(0, -1).join('/'),
    };
  }
}

function unvisited(segment: string): string {
  return segment.replace(/#\d+$/, '');
}
