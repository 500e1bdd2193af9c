/** A Markdown code block whose fence is longer than any run of backquotes inside, so that the text cannot close it. */
export function fence(text: string, language = ''): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${language}\n${text}\n${ticks}`;
}

export interface FencedBlock {
  /** `json`; empty if the fence names none. */
  readonly language: string;
  readonly text: string;
}

const FENCE = /^```[ \t]*([A-Za-z]*)$/;

/** The contents of the fenced blocks, in order. Reads line by line, so the time does not depend on the contents. */
export function fencedBlocks(text: string): readonly FencedBlock[] {
  const blocks: FencedBlock[] = [];
  let open: { readonly language: string; readonly lines: string[] } | undefined;
  for (const line of text.split('\n')) {
    const language = FENCE.exec(line.trim())?.[1];
    if (language === undefined) open?.lines.push(line);
    else if (open === undefined || language !== '') open = { language, lines: [] };
    else {
      blocks.push({ language: open.language, text: open.lines.join('\n') });
      open = undefined;
    }
  }
  return blocks;
}
