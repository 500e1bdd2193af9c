import type { CommandShape } from './command-shape.ts';

/** An argument with a value in it that a script gets beside its text. */
export interface ScriptInput {
  /** Where it stands in the command. */
  readonly at: number;
  /** Its name in the script; `@` for the parameters. */
  readonly name: string;
  /** As a person would write it: `1`, `TITLE`. */
  readonly written: string;
}

/** What the script at `script` is given by the other arguments that have a value in them. */
export function scriptInputs(
  shape: CommandShape,
  script: number,
  hasValue: (at: number) => boolean,
): readonly ScriptInput[] {
  const inputs: ScriptInput[] = [];
  shape.words.forEach(({ prefix }, at) => {
    if (at === script || !hasValue(at)) return;
    if (at > script && shape.roles[script] === 'script') {
      const isZeroth = at === script + 1;
      inputs.push({ at, name: isZeroth ? '0' : '@', written: `${at - script - 1}` });
      return;
    }
    if (at > script) return;
    for (const name of namesSet(prefix)) inputs.push({ at, name, written: name });
    // `find DIR -exec sh -c … {}`: what is found begins with the value.
    if (shape.putsIn) inputs.push({ at, name: '@', written: '1' });
  });
  return inputs;
}

/** `A=`, and of `-eA=` or `--env=A=`, where options may be glued to it, each name it can be. */
function namesSet(prefix: string): readonly string[] {
  const patterns = [
    /^([A-Za-z_][A-Za-z0-9_]*)=/,
    /^-[A-Za-z]=?([A-Za-z_][A-Za-z0-9_]*)=/,
    /^--[a-z-]+[= ]([A-Za-z_][A-Za-z0-9_]*)=/,
  ];
  return patterns.flatMap((pattern) => pattern.exec(prefix)?.[1] ?? []);
}
