/**
 * How the imports of a workflow file are resolved and loaded. The same rules serve Node's hooks in this thread (22.15) and in a thread of
 * their own (`hooks-thread.ts`).
 *
 * H1 Only files of a workflow are touched: the one that is loaded, and its imports outside `node_modules`. All others pass unchanged.
 * H2 `orchestrate-run`, or `orchestrate` for short, is the project's own package. If it has none, it is that of this program.
 * H3 Types are removed, nothing else is changed: lines and columns stay. A `.ts` file is an ES module.
 * H4 Each file and what it imports is reported as it is read, so that what is compared later is what ran.
 * H5 A file that is loaded again after a change gets another address, and so do the files that it imports: Node loads each address once.
 */
import fs from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readForeignBytes } from '../store/read-foreign.ts';
import type { LoadContext, Loaded, NextLoad, NextResolve, ResolveContext, Resolved } from './node-module.ts';
import { strippedText } from './stripped-text.ts';
import { type StripperChoice, stripperOf } from './strippers.ts';

/** The specifier of a workflow to load: the hooks read from it what they need to know. */
const SCHEME = 'orchestrate-workflow:';

export interface Entry {
  /** Address of the file. */
  readonly url: string;
  /** 0 the first time (H5). */
  readonly generation: number;
  /** What removes types; undefined if there is nothing. */
  readonly stripper?: StripperChoice;
  /** The file is a copy: what was not copied is resolved from the original's place. */
  readonly copies?: { readonly folder: string; readonly of: string };
}

export type Noted =
  | { readonly type: 'import'; readonly from: string; readonly to: string }
  | { readonly type: 'file'; readonly url: string; readonly bytes: Uint8Array };

/** Addresses of the modules of this program, by what a workflow imports. */
export type OwnModules = { readonly [specifier: string]: string };

export function specifierOf(entry: Entry): string {
  return `${SCHEME}${encodeURIComponent(JSON.stringify(entry))}`;
}

type Attempt =
  | { readonly type: 'resolve'; readonly specifier: string; readonly parentURL?: string | undefined }
  | { readonly type: 'found'; readonly url: string };

export class Hooks {
  readonly #own: OwnModules;
  readonly #note: (noted: Noted) => void;
  /** The workflow that each of its files belongs to, by address (H1). */
  readonly #entries = new Map<string, Entry>();

  constructor(own: OwnModules, note: (noted: Noted) => void) {
    this.#own = own;
    this.#note = note;
  }

  resolve(specifier: string, context: ResolveContext, next: NextResolve<Resolved>): Resolved {
    const known = this.#entryNamed(specifier);
    if (known !== undefined) return known;
    const entry = this.#entries.get(context.parentURL ?? '');
    if (entry === undefined) return next(specifier, context);
    let first: unknown;
    for (const attempt of this.#attempts(specifier, context.parentURL, entry)) {
      if (attempt.type === 'found') return { url: attempt.url, shortCircuit: true };
      try {
        const { parentURL } = attempt;
        return this.#found(next(attempt.specifier, { ...context, parentURL }), context.parentURL, entry);
      } catch (problem) {
        if (!isNotFound(problem)) throw problem;
        first ??= problem;
      }
    }
    throw first;
  }

  async resolveLater(
    specifier: string,
    context: ResolveContext,
    next: NextResolve<Promise<Resolved>>,
  ): Promise<Resolved> {
    const known = this.#entryNamed(specifier);
    if (known !== undefined) return known;
    const entry = this.#entries.get(context.parentURL ?? '');
    if (entry === undefined) return next(specifier, context);
    let first: unknown;
    for (const attempt of this.#attempts(specifier, context.parentURL, entry)) {
      if (attempt.type === 'found') return { url: attempt.url, shortCircuit: true };
      try {
        const { parentURL } = attempt;
        const found = await next(attempt.specifier, { ...context, parentURL });
        return this.#found(found, context.parentURL, entry);
      } catch (problem) {
        if (!isNotFound(problem)) throw problem;
        first ??= problem;
      }
    }
    throw first;
  }

  load<Value>(url: string, context: LoadContext, next: NextLoad<Value>): Value | Loaded {
    const entry = this.#entries.get(url);
    if (entry === undefined) return next(url, context);
    const bytes = readForeignBytes(fileURLToPath(url));
    // A copy: small files share their memory with others, all of which would go to the other thread.
    this.#note({ type: 'file', url, bytes: new Uint8Array(bytes) });
    const { pathname } = new URL(url);
    if (/\.m?ts$/.test(pathname) && entry.stripper !== undefined) {
      const stripper = stripperOf(entry.stripper);
      const source = withPlace(url, () => strippedText(bytes.toString('utf8'), url, stripper));
      return { format: 'module', source, shortCircuit: true };
    }
    const isModule = pathname.endsWith('.mjs') || url === addressOf(entry);
    return isModule ? { format: 'module', source: bytes, shortCircuit: true } : next(url, context);
  }

  #entryNamed(specifier: string): Resolved | undefined {
    if (!specifier.startsWith(SCHEME)) return undefined;
    const entry: Entry = JSON.parse(decodeURIComponent(specifier.slice(SCHEME.length)));
    const url = addressOf(entry);
    this.#entries.set(url, entry);
    return { url, format: 'module', shortCircuit: true };
  }

  /** In this order; the next one only if the module is not found. */
  #attempts(specifier: string, parentURL: string | undefined, { copies }: Entry): readonly Attempt[] {
    const isRelative = /^\.{0,2}\//.test(specifier);
    const original = copies === undefined ? parentURL : moved(parentURL, copies.folder, copies.of);
    const parents = isRelative ? new Set([parentURL, original]) : new Set([original]);
    const names = [specifier, ...(isRelative ? asTypeScript(specifier) : [])];
    const own = this.#own[specifier];
    return [
      ...[...parents].flatMap((from) =>
        names.map((name) => ({ type: 'resolve', specifier: name, parentURL: from }) as const),
      ),
      ...(own === undefined ? [] : [{ type: 'found', url: own } as const]),
    ];
  }

  #found(resolved: Resolved, parentURL: string | undefined, entry: Entry): Resolved {
    if (!resolved.url.startsWith('file:') || resolved.url.includes('/node_modules/')) return resolved;
    if (Object.values(this.#own).includes(resolved.url)) return resolved;
    const { copies } = entry;
    const copy = copies === undefined ? undefined : moved(resolved.url, copies.of, copies.folder);
    const isCopied = copy !== undefined && fs.existsSync(fileURLToPath(copy));
    const url = addressOf({ ...entry, url: isCopied ? copy : resolved.url });
    this.#entries.set(url, entry);
    this.#note({ type: 'import', from: parentURL ?? '', to: url });
    return { ...resolved, url };
  }
}

/** H5 */
function addressOf({ url, generation }: Pick<Entry, 'url' | 'generation'>): string {
  if (generation === 0) return url;
  const address = new URL(url);
  address.searchParams.set('generation', String(generation));
  return address.href;
}

/** The same place below another folder; unchanged if it is not below the first. */
function moved(url: string | undefined, from: string, to: string): string | undefined {
  if (url === undefined || !url.startsWith('file:')) return url;
  const path = fileURLToPath(url);
  return path.startsWith(from + sep) ? pathToFileURL(join(to, path.slice(from.length))).href : url;
}

/** TypeScript lets users import `./x.js` where they wrote `./x.ts`. */
function asTypeScript(specifier: string): readonly string[] {
  const name = /^(.*)\.(m?)js$/.exec(specifier);
  return name === null ? [] : [`${name[1]}.${name[2]}ts`];
}

function isNotFound(problem: unknown): boolean {
  return (problem as NodeJS.ErrnoException | undefined)?.code === 'ERR_MODULE_NOT_FOUND';
}

/** The error of a stripper begins with the line, without a file. */
function withPlace<Value>(url: string, action: () => Value): Value {
  try {
    return action();
  } catch (problem) {
    if (problem instanceof Error && problem.stack?.startsWith(':')) problem.stack = url + problem.stack;
    throw problem;
  }
}
