/** Aliases are written out, each use anew, under a cap and never inside themselves. */
import type { Alias, Node } from 'yaml';
import type { SourceRange } from '../../model/source.ts';
import { MAX_DEPTH } from './parse-yaml.ts';
import type { Places } from './places.ts';
import type { Report } from './report.ts';

const MAX_NODES = 100_000;

export class AliasExpansion {
  readonly #places: Places;
  readonly #report: Report;
  /** What is being written out, outermost first. */
  readonly #open: Node[] = [];
  #nodes = 0;

  constructor(places: Places, report: Report) {
    this.#places = places;
    this.#report = report;
  }

  /** To be called for every node that is read. */
  count(): void {
    if (this.#open.length > 0) this.#nodes += 1;
  }

  /** Answers what `read` makes of the alias's target, or `undefined` where the alias is refused. */
  expand<Value>(alias: Alias, depth: number, read: (target: Node) => Value): Value | undefined {
    const range = this.#places.nodeRange(alias);
    const target = this.#places.target(alias);
    if (target === undefined) {
      this.#report.error('yaml/unknown-anchor', range, {
        message: `there is no anchor \`&${alias.source}\` before this alias`,
      });
      return undefined;
    }
    if (depth > MAX_DEPTH) {
      this.#report.once('yaml/too-deep', range, {
        message: `written out, the alias \`*${alias.source}\` is nested more than ${MAX_DEPTH} levels deep`,
      });
      return undefined;
    }
    const cycle = `the alias \`*${alias.source}\` stands inside the value it stands for`;
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
        message: `written out, the aliases of this file make more than ${MAX_NODES} values`,
      });
      return undefined;
    }
    this.#open.push(target);
    const value = read();
    this.#open.pop();
    return value;
  }
}
