/**
 * One voice: phrases that once made messages, help, documents, comments and test titles hard to read, and what is written instead.
 * `docs/glossary.md` has the words themselves.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');

const NOT_WRITTEN: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/(?:\/\*\*|\/\/|^\s*\*) Of\b/, 'name the thing: "Length of the answer", "For `mock`: …"'],
  [/\b(?:go|goes|went|gone|going) on\b|\b(?:go|goes|went)On\b/i, 'resume, continue'],
  [/\bit is not so that\b/i, 'the fact with its value: "`${x}` is `7`, not `7.0`"'],
  [/\bno meaning here\b/i, 'unknown key'],
  [/\bnobody (?:knows|can be asked|to ask|has asked|was told)\b/i, 'unknown …; not a terminal, cannot ask'],
  [/\bwhere (?:absent|it is absent|there is none|none is)\b/i, 'default: …; if omitted'],
  [/\bunder way\b/i, 'running, in progress'],
  [/\bcut off\b/i, 'interrupted; truncated'],
  [/\bwaits? for no\b/i, 'is not waiting for'],
  [/\b(?:came|comes?|coming) to (?:again|it|a step|this|that|the step)\b/i, 'reached, visited'],
  [/\bsomebody\b/i, 'the user, another process'],
  [/\banew\b/i, 'again, from scratch'],
  [/\bnot proven\b/i, 'rejected, check failed'],
  [/\bring of\b/i, 'circular dependency'],
  [/\b(?:rests|at rest|let .{0,20} rest)\b/i, 'paused'],
  [/\bstands? still\b/i, 'stalled, stopped'],
  [/\bpassed over\b/i, 'ignored, skipped'],
  [/\bput right\b/i, 'fixed'],
  [/\bgiven? leave\b|\bleave for\b/i, 'allow'],
  [/\bcompleted already\b|\bdone already\b/i, 'already completed'],
  [/\bon to [`$]/i, 'switching to, continuing at'],
  [
    /\btries after\b|\btry \d\b|\b(?:one|each|no|a|first|last|next|another|every|this|that|earlier) try\b/i,
    'attempt, retry',
  ],
  [/\btold of\b|\b(?:is|are|was) told\b/i, 'reported, shown, notified'],
  [/\blooked for\b|\bis looked\b|\blook at finished\b/i, 'searched for, checked, reviewed'],
  [/\bfound wanting\b|\bmend(?:s|ed)?\b/i, 'fixed, repaired'],
  [/\bgone for good\b|\bthat is over\b/i, 'removed; ended'],
  [/\bthere is no (?:agent|key|setting|option|choice|field|provider|command|tool|event) `/i, 'unknown … `x`'],
  [
    /\b(?:that|which|it|what|this|names) (?:is|are) no(?:ne)?\b(?! (?:longer|more|less|one)\b)/i,
    'is not a …',
  ],
  [/(?<!cannot )\btells? (?:why|how|whether|the result)\b/i, 'says, shows'],
  [/\ball the same\b/i, 'anyway'],
  [
    /\b(?:run|turn|step|loop) is over\b|\bis not over\b|\bor over\b|-is-over\b|\bover-already\b/i,
    'has ended',
  ],
  [/\b(?:what|are|is) to be\b/i, 'what happens, in plain words'],
  [/\bthan the active\b/i, 'default: active'],
];

const FOLDERS = ['src', 'web', 'test', 'proof', 'bench', 'scripts', 'docs', 'examples', 'bin', 'schema'];
const PAGES = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'AGENTS.md'];
/** Recorded by other programs, or by older versions of this one; the words themselves. */
const LEFT_OUT =
  /(?:^|\/)(?:node_modules|results|transcripts|journals|peers)\/|package(?:-lock)?\.json$|voice\.test\.ts$|glossary\.md$|docs\/proof\.md$/;

const files = [...FOLDERS.flatMap(filesBelow), ...PAGES].filter((file) => !LEFT_OUT.test(file));

describe('what people read', () => {
  it.each(NOT_WRITTEN)('does not say %s, but: %s', (phrase) => {
    expect(files.flatMap((file) => linesWith(file, phrase))).toEqual([]);
  });
});

function filesBelow(folder: string): readonly string[] {
  return fs.readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return LEFT_OUT.test(`${name}/`) ? [] : filesBelow(name);
    return /\.(?:tsx?|js|md|ya?ml|json|out)$/.test(name) ? [name] : [];
  });
}

const texts = new Map<string, readonly string[]>();

function linesWith(file: string, phrase: RegExp): readonly string[] {
  const lines = texts.get(file) ?? fs.readFileSync(path.join(ROOT, file), 'utf8').split('\n');
  texts.set(file, lines);
  return lines.flatMap((line, index) =>
    phrase.test(line) ? [`${file}:${index + 1}: ${line.trim().slice(0, 120)}`] : [],
  );
}
