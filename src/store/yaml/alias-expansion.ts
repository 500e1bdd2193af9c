/** Expands aliases, each use separately, up to a limit and never inside themselves. */
import type { Alias, Node } from 'yaml';
import type { SourceRange } from '../../model/source.ts';
import { MAX_DEPTH } from './parse-yaml.ts';
import type { Places } from './places.ts';
import type { Report } from './report.ts';

const MAX_NODES = 100_000;

export class AliasExpansion {
  readonly #places: Places;
  readonly #report: Report;
  /** The values being expanded, outermost first. */
  readonly #open: Node[] = [];
  #nodes = 0;

  constructor(places: Places, report: Report) {
    this.#places = places;
    this.#report = report;
  }

  /** Call it for every node that is read. */
  count(): void {
    if (this.#open.length > 0) this.#nodes += 1;
  }

  /** Returns what `read` makes of the alias's target, or `undefined` if the alias is refused. */
  expand<Value>(alias: Alias, depth: number, read: (target: Node) => Value): Value | undefined {
    const range = this.#places.nodeRange(alias);
    const target = this.#places.target(alias);
    if (target === undefined) {
      this.#report.error('yaml/unknown-anchor', range, {
        message: `unknown anchor \`&${alias.source}\`; anchors must be defined before they are used`,
      });
      return undefined;
    }
    if (depth > MAX_DEPTH) {
      this.#report.once('yaml/too-deep', range, {
        message: `the alias \`*${alias.source}\` expands to more than ${MAX_DEPTH} levels of nesting`,
      });
      return undefined;
    }
    const cycle = `the alias \`*${alias.source}\` is used inside its own value`;
    return this.within(target, { size: 1, range, cycle }, () => read(target));
  }

  /** Runs `read` while `target` is open. */
  within<Value>(
    target: Node,
    use: { readonly size: number; readonly range: SourceRange; readonly cycle: string },
    read: () => Value,
  ): Value | undefined {
    if (this.#open.includes(target)) {
      this.#report.error('yaml/alias-cycle', use.range, { message: use.cycle });
      return undefined;
    }
    this.#nodes += use.size;
    if (this.#nodes > MAX_NODES) {
      this.#report.once('yaml/too-many-aliases', use.range, {
        message: `the aliases of this file expand to more than ${MAX_NODES} values`,
      });
      return undefined;
    }
    this.#open.push(target);
    const value = read();
    this.#open.pop();
    return value;
  }
}
