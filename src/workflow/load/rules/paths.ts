import fs from 'node:fs';
import { join } from 'node:path';
import { resolveInside } from '../../../store/safe-path.ts';
import { isReference } from '../../../template/template.ts';
import type { Check } from './rule.ts';

const FOLDER_KEYS = ['inbox_dir', 'processed_dir', 'failed_dir'] as const;
const GLOB_CHARACTERS = /[*?[\]{}!()]/;

/** Every path must stay inside the workspace, as far as this is known before the run. It is checked again on use. */
export function checkPaths(check: Check): void {
  const links = linkReasons(check.workspace);
  const { source } = check.file;
  for (const key of FOLDER_KEYS) checkPath(check, { container: source, key, text: source[key] }, links);
  for (const { place, texts } of check.texts) {
    for (const text of texts) if (text.use !== 'text') checkPath(check, text, links);
    const { call } = place.step;
    for (const key of ['workflow', 'program'] as const)
      if (call?.[key] !== undefined && call[key] !== '')
        checkCallPath(check, { container: call, key, text: call[key] }, links);
  }
}

interface PathPlace {
  readonly container: object;
  readonly key: string | number;
  readonly text: string;
}

function checkCallPath(check: Check, place: PathPlace, links: LinkReasons): void {
  const { container, key, text } = place;
  if (text.includes('${')) {
    check.report.error('workflow/invalid-value', check.file.places.valueRange(container, key), {
      message: `\`${key}\` cannot contain a variable, because called workflows are read before the run starts`,
    });
    return;
  }
  checkPath(check, place, links);
}

function checkPath(check: Check, place: PathPlace, links: LinkReasons): void {
  const { places } = check.file;
  const { container, key, text } = place;
  const template = text.includes('$') ? check.parse(text).template : [text];
  const [first] = template;
  if (typeof first === 'string' && /^(?:[/\\]|[A-Za-z]:[/\\])/.test(first)) {
    check.report.error('workflow/absolute-path', places.valueRange(container, key), {
      message: `the path \`${text}\` is absolute`,
      help: 'use a path relative to the workspace',
    });
    return;
  }
  // A variable may become any text, so the text next to it is not a complete segment.
  const known = template.map((part) => (isReference(part) ? '\0' : part)).join('');
  if (known.split(/[/\\]/).includes('..')) {
    const start = text.search(/(?<=^|[/\\])\.\.(?=[/\\]|$)/);
    check.report.error(
      'workflow/parent-path',
      places.partRange(container, key, { text, start, end: start + 2 }),
      { message: `the path \`${text}\` contains \`..\`, but paths must stay inside the workspace` },
    );
    return;
  }
  const reason = links(fixedPart(known));
  if (reason !== undefined) {
    check.report.error('workflow/link-leaves-workspace', places.valueRange(container, key), {
      message: `the path \`${text}\` ${reason}`,
    });
  }
}

/** The part of the path before the first variable or wildcard, which can be checked now. */
function fixedPart(known: string): string {
  const segments = known.split('/');
  const open = segments.findIndex((segment) => segment.includes('\0') || GLOB_CHARACTERS.test(segment));
  return (open === -1 ? segments : segments.slice(0, open)).join('/');
}

/** Returns why a path is rejected because of a link. */
type LinkReasons = (path: string) => string | undefined;

/** Caches folders, since many paths share the same few. */
function linkReasons(workspace: string): LinkReasons {
  const kinds = new Map<string, Kind>();
  const kindOf = (path: string): Kind => {
    const kind = kinds.get(path) ?? lookAt(join(workspace, path));
    kinds.set(path, kind);
    return kind;
  };
  return (path) => {
    for (let end = path.indexOf('/'); ; end = path.indexOf('/', end + 1)) {
      const part = end === -1 ? path : path.slice(0, end);
      const kind = part === '' ? 'plain' : kindOf(part);
      if (kind === 'missing') return undefined;
      if (kind === 'link') return reasonFor(workspace, path);
      if (end === -1) return undefined;
    }
  };
}

type Kind = 'missing' | 'plain' | 'link';

function lookAt(path: string): Kind {
  try {
    return fs.lstatSync(path).isSymbolicLink() ? 'link' : 'plain';
  } catch {
    return 'missing';
  }
}

function reasonFor(workspace: string, path: string): string | undefined {
  const resolved = resolveInside(workspace, path);
  const isUnsafe = resolved.type === 'error' && resolved.error.type === 'unsafe-path';
  return isUnsafe ? resolved.error.reason : undefined;
}
