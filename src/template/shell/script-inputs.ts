import type { CommandShape } from './command-shape.ts';

/** An argument that contains a value and is passed to a script. */
export interface ScriptInput {
  /** Its index in the command. */
  readonly at: number;
  /** Its name in the script; `@` for the parameters. */
  readonly name: string;
  /** As users write it: `1`, `TITLE`. */
  readonly written: string;
}

/** The inputs of the script at `script`: the other arguments that contain a value. */
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
    // `find DIR -exec sh -c … {}`: the names found start with the value.
    if (shape.putsIn) inputs.push({ at, name: '@', written: '1' });
  });
  return inputs;
}

/** Every name that `A=`, `-eA=` or `--env=A=` can set. */
function namesSet(prefix: string): readonly string[] {
  const patterns = [
    /^([A-Za-z_][A-Za-z0-9_]*)=/,
    /^-[A-Za-z]=?([A-Za-z_][A-Za-z0-9_]*)=/,
    /^--[a-z-]+[= ]([A-Za-z_][A-Za-z0-9_]*)=/,
  ];
  return patterns.flatMap((pattern) => pattern.exec(prefix)?.[1] ?? []);
}
