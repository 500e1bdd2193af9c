import { type CommandShape, fillRoles, startsUnknown, wordAt } from './command-shape.ts';
import { type ReadOption, readOption } from './options.ts';
import type { Launcher } from './programs/launchers.ts';
import { steersExecution } from './programs/steering-variables.ts';

/** Returns the index of the launched program, or `undefined` if there is none or a value decides it. */
export function launchedProgram(shape: CommandShape, launcher: Launcher, from: number): number | undefined {
  let at = from;
  for (; at < shape.words.length; at += 1) {
    const word = wordAt(shape, at);
    const text = word.literal ?? word.prefix;
    if (startsUnknown(word)) return lose(shape, at);
    const assigned = launcher.assignments ? /^([^-=][^=]*)=/.exec(text)?.[1] : undefined;
    if (assigned !== undefined) {
      if (steersExecution(assigned) || !/^\w+$/.test(assigned)) shape.roles[at] = 'steering';
      shape.environment.push(at);
      continue;
    }
    if (!text.startsWith('-')) break;
    if (word.literal === '--') {
      at += 1;
      break;
    }
    const option = launcherOption(launcher, text, word.literal === undefined);
    if (option.type === 'nested') return shellText(shape, option, at);
    if (option.type === 'code' || (word.literal === undefined && option.type === 'flag'))
      return lose(shape, at);
    if (option.type === 'value' && !option.attached) {
      at += 1;
      if (wordAt(shape, at).splits) return lose(shape, at);
    }
  }
  for (let operand = 0; operand < (launcher.operands ?? 0); operand += 1) {
    if (startsUnknown(wordAt(shape, at))) return lose(shape, at);
    at += 1;
  }
  const text = wordAt(shape, at).literal;
  if (!text?.startsWith('-')) return at;
  // `flock FILE -c SCRIPT`: an option where the program should be.
  const option = launcherOption(launcher, text, false);
  return option.type === 'nested' ? shellText(shape, option, at) : lose(shape, at);
}

function launcherOption(
  launcher: Launcher,
  text: string,
  open: boolean,
): Omit<ReadOption, 'type'> & { readonly type: ReadOption['type'] | 'nested' } {
  const values = [...(launcher.shortValues ?? ''), ...(launcher.longValues ?? [])];
  const shellText = launcher.shellText ?? [];
  const option = readOption(text, open, { values, code: [...(launcher.evaluates ?? []), ...shellText] });
  return option.type === 'code' && shellText.includes(option.name) ? { ...option, type: 'nested' } : option;
}

/** `npx -c SCRIPT`: what follows are its options, or parameters of the script. */
function shellText(shape: CommandShape, { attached }: Pick<ReadOption, 'attached'>, at: number): undefined {
  shape.roles[at] = attached ? 'nested' : 'steering';
  if (!attached && at + 1 < shape.roles.length) shape.roles[at + 1] = 'nested';
  fillRoles(shape, at + (attached ? 1 : 2), 'nested');
  shape.program = undefined;
}

function lose(shape: CommandShape, at: number): undefined {
  fillRoles(shape, at, 'steering');
  shape.program = undefined;
}
