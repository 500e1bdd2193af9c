import { withoutTrailing } from '../../model/trailing.ts';
import { expandBraces } from '../../store/expand-braces.ts';
import { checkRelativePath } from '../../store/safe-path.ts';

/** Nearly all paths: they need no closer look. */
const IS_PLAIN = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

/** Why it is not a concrete path from the project's root; undefined if it is one. */
export function whyNotConcrete(path: string): string | undefined {
  if (IS_PLAIN.test(path)) return undefined;
  if (path.trim() !== path || path === '') return 'is empty or starts or ends with a space';
  if (/[*?]/.test(path) || !isOne(path)) return 'contains a wildcard; list the folders and files instead';
  if (path.startsWith('./')) return `starts with \`./\`; write \`${path.replace(/^(?:\.\/)+/, '')}\``;
  const checked = checkRelativePath(path);
  if (checked.type === 'ok') return undefined;
  return checked.error.type === 'unsafe-path' ? checked.error.reason : 'is not a path';
}

function isOne(path: string): boolean {
  const alternatives = expandBraces(path);
  return alternatives.type === 'ok' && alternatives.value.length === 1;
}

/** Paths as they are used: without `./`, up to the first folder with a wildcard; paths out of the project are left out. */
export function concretePaths(paths: readonly string[]): readonly string[] {
  return paths.every((path) => whyNotConcrete(path) === undefined) ? paths : paths.flatMap(concretePath);
}

function concretePath(path: string): readonly string[] {
  const plain = path.trim().replace(/^(?:\.\/)+/, '');
  const wild = plain.search(/[*?{]/);
  const fixed = wild === -1 ? plain : plain.slice(0, plain.lastIndexOf('/', wild) + 1);
  // A wildcard in the first name can be anywhere in the project.
  const usable = fixed === '' && plain !== '' ? '.' : withoutTrailing(fixed, '/');
  return whyNotConcrete(usable) === undefined || usable === '.' ? [usable] : [];
}
