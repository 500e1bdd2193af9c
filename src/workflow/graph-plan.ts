/** Decides which step of a graph is next. Depends only on the calls made, so a replay decides the same. Linear in steps and needs. */
import type { GraphNode } from './definition.ts';

/** A step that cannot run any more. */
export interface Unreachable {
  readonly node: GraphNode;
  readonly reason: string;
}

export class GraphPlan {
  readonly #ready: GraphNode[] = [];
  #nextReady = 0;
  /** Steps that have not started → number of needed steps that are not done. */
  readonly #open = new Map<string, number>();
  readonly #nodes: readonly GraphNode[];
  readonly #dependents = new Map<string, GraphNode[]>();

  constructor(nodes: readonly GraphNode[]) {
    this.#nodes = nodes;
    for (const node of nodes) {
      if (node.needs.length === 0) this.#ready.push(node);
      else this.#open.set(node.step.name, node.needs.length);
      for (const need of node.needs) {
        const dependents = this.#dependents.get(need);
        if (dependents === undefined) this.#dependents.set(need, [node]);
        else dependents.push(node);
      }
    }
  }

  /** The next step to start, if one is ready. */
  take(): GraphNode | undefined {
    const node = this.#ready[this.#nextReady];
    if (node !== undefined) this.#nextReady += 1;
    return node;
  }

  /** A step is done: steps that need nothing else are ready. */
  done(name: string): void {
    for (const node of this.#dependents.get(name) ?? []) {
      const left = this.#open.get(node.step.name);
      if (left === undefined) continue;
      if (left > 1) this.#open.set(node.step.name, left - 1);
      else {
        this.#open.delete(node.step.name);
        this.#ready.push(node);
      }
    }
  }

  /** No other step needs it. */
  isLast(name: string): boolean {
    return !this.#dependents.has(name);
  }

  /** The steps that have not started, in the order of the file. They are not ready any more. */
  rest(): readonly GraphNode[] {
    const ready = new Set(this.#ready.splice(this.#nextReady));
    const rest = this.#nodes.filter((node) => ready.has(node) || this.#open.has(node.step.name));
    this.#open.clear();
    return rest;
  }

  /** A step has failed: returns the steps that need it, and those that need them, each once. */
  failed(name: string): readonly Unreachable[] {
    const found: Unreachable[] = [];
    const add = (need: string, what: string): void => {
      for (const node of this.#dependents.get(need) ?? []) {
        if (this.#open.delete(node.step.name))
          found.push({ node, reason: `it needs \`${need}\`, which ${what}` });
      }
    };
    add(name, 'failed');
    for (let at = 0; at < found.length; at += 1) add(found[at]?.node.step.name ?? '', 'was skipped');
    return found;
  }
}
