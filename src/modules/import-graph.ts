/** Which files a workflow consists of: what the hooks report, by address. */
import type { Noted } from './hooks.ts';

export class ImportGraph {
  readonly #imports = new Map<string, Set<string>>();
  readonly #bytes = new Map<string, Uint8Array>();

  note(noted: Noted): void {
    if (noted.type === 'file') this.#bytes.set(noted.url, noted.bytes);
    else this.#imports.set(noted.from, (this.#imports.get(noted.from) ?? new Set()).add(noted.to));
  }

  /** As it was loaded. */
  bytesOf(url: string): Uint8Array | undefined {
    return this.#bytes.get(url);
  }

  /** The file itself first, then what it imports, directly or not, in the order of the imports. */
  reachedFrom(url: string): readonly string[] {
    const reached = new Set([url]);
    for (const each of reached) for (const imported of this.#imports.get(each) ?? []) reached.add(imported);
    return [...reached];
  }
}
