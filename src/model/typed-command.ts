/**
 * How the user calls this program, for commands that a message proposes: `orchestrate -C project resume …` if it was called with `-C`.
 * The command line sets it once, before anything else; other doors do not name commands.
 */
let program = 'orchestrate';

export function calledAs(words: string): void {
  program = words;
}

/** `resume last` → `orchestrate resume last`. */
export function typedCommand(rest: string): string {
  return `${program} ${rest}`;
}

/** A command that was written as `orchestrate …`, also after another. */
export function asTyped(command: string): string {
  return command.replace(/(?<=^|\| |&& )orchestrate /g, `${program} `.replaceAll('$', '$$$$'));
}

/** A text of the program itself, which proposes commands in backquotes. */
export function withTypedCommands(text: string): string {
  return program === 'orchestrate' ? text : text.replaceAll('`orchestrate ', `\`${program} `);
}
