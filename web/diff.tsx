/** A patch, file by file, as text. Long ones are shown in parts, so that the page stays quick. */
import { useState } from 'preact/hooks';
import { type FilePatch, parsePatch } from './patch.ts';

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
