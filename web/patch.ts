/** The output of `git diff`. File contents and names may be anything, so only their line starts are trusted. */
export interface FilePatch {
  readonly name: string;
  readonly added: number;
  readonly removed: number;
  readonly lines: readonly string[];
}

export function parsePatch(patch: string): readonly FilePatch[] {
  // Not `^` with `m`: it also matches after U+2028 and a carriage return, which may be in a line of a file.
  const parts = patch.split(/(?<=\n)(?=diff --git )/).filter((part) => part.startsWith('diff --git '));
  return parts.map((part) => {
    const lines = part.replace(/\n$/, '').split('\n');
    const start = lines.findIndex((line) => line.startsWith('@@') || line.startsWith('GIT binary patch'));
    const body = start === -1 ? [] : lines.slice(start);
    const isBinary = body[0]?.startsWith('GIT binary') === true;
    return {
      name: nameIn(start === -1 ? lines : lines.slice(0, start)),
      added: isBinary ? 0 : body.filter((line) => line.startsWith('+')).length,
      removed: isBinary ? 0 : body.filter((line) => line.startsWith('-')).length,
      lines: isBinary ? ['Binary file.'] : start === -1 ? lines.slice(1) : body,
    };
  });
}

/** `head` has the lines before the first change: a changed line may look like one of them. */
function nameIn(head: readonly string[]): string {
  const named = head.filter((line) => /^(\+\+\+|---) [ab]\//.test(line)).at(-1);
  const isRemoved = head.includes('+++ /dev/null');
  // Git adds a tab to a name with a blank.
  const name = named?.slice(6).replace(/\t$/, '') ?? firstNameIn(head[0] ?? '');
  return isRemoved ? `${name} (deleted)` : name;
}

/** `diff --git a/notes.md b/notes.md` → `notes.md` */
function firstNameIn(line: string): string {
  const before = 'diff --git a/';
  const end = line.lastIndexOf(' b/');
  return line.startsWith(before) && end >= before.length ? line.slice(before.length, end) : line;
}
