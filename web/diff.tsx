/** A patch, file by file, as text. Long ones are shown in parts, so that the page stays quick. */
import { useState } from 'preact/hooks';

interface FilePatch {
  readonly name: string;
  readonly added: number;
  readonly removed: number;
  readonly lines: readonly string[];
}

const FIRST_LINES = 400;

export function DiffView({ patch }: { readonly patch: string }) {
  const files = parsePatch(patch);
  if (files.length === 0) return <p class="quiet">Nothing was changed.</p>;
  return (
    <div class="diff">
      {files.map((file) => (
        <FileDiff key={file.name} file={file} isOpen={files.length <= 8} />
      ))}
    </div>
  );
}

function FileDiff({ file, isOpen }: { readonly file: FilePatch; readonly isOpen: boolean }) {
  const [most, setMost] = useState(FIRST_LINES);
  return (
    <details open={isOpen}>
      <summary>
        <span class="mono">{file.name}</span>
        <span class="c-ok">+{file.added}</span>
        <span class="c-bad">−{file.removed}</span>
      </summary>
      <pre tabIndex={0}>
        {runsOf(file.lines.slice(0, most)).map(([kind, text], index) => (
          <span key={index} class={kind}>
            {text}
          </span>
        ))}
      </pre>
      {file.lines.length > most ? (
        <button type="button" class="btn sm" onClick={() => setMost(most * 4)}>
          {`Show ${Math.min(file.lines.length - most, most * 3).toLocaleString('en')} more lines`}
        </button>
      ) : null}
    </details>
  );
}

function parsePatch(patch: string): readonly FilePatch[] {
  const parts = patch.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git '));
  return parts.map((part) => {
    const lines = part.replace(/\n$/, '').split('\n');
    const start = lines.findIndex((line) => line.startsWith('@@') || line.startsWith('GIT binary patch'));
    const body = start === -1 ? [] : lines.slice(start);
    const isBinary = body[0]?.startsWith('GIT binary') === true;
    return {
      name: nameOf(lines),
      added: isBinary ? 0 : body.filter((line) => line.startsWith('+')).length,
      removed: isBinary ? 0 : body.filter((line) => line.startsWith('-')).length,
      lines: isBinary ? ['Binary file.'] : start === -1 ? lines.slice(1) : body,
    };
  });
}

function nameOf(lines: readonly string[]): string {
  const named = [...lines].filter((line) => /^(\+\+\+|---) [ab]\//.test(line)).at(-1);
  const isRemoved = lines.some((line) => line === '+++ /dev/null');
  const name = named?.slice(6) ?? lines[0]?.replace(/^diff --git a\/(.*) b\/.*$/, '$1') ?? '';
  return isRemoved ? `${name} (deleted)` : name;
}

/** Lines of one kind that follow each other, together. */
function runsOf(lines: readonly string[]): readonly (readonly [kind: string, text: string])[] {
  const runs: [string, string][] = [];
  for (const line of lines) {
    const kind = KINDS[line[0] ?? ''] ?? '';
    const last = runs.at(-1);
    if (last !== undefined && last[0] === kind) last[1] += `${line}\n`;
    else runs.push([kind, `${line}\n`]);
  }
  return runs;
}

const KINDS: { readonly [first: string]: string } = { '+': 'add', '-': 'del', '@': 'at' };
