/** Which options of a program take a value, and which of these values are code. */
export interface OptionNames {
  readonly values: readonly string[];
  readonly code: readonly string[];
  /** Letters whose value, if any, is the rest of the word. */
  readonly own?: string;
}

export interface ReadOption {
  readonly type: 'flag' | 'value' | 'code';
  readonly name: string;
  /** The value is in the same word. */
  readonly attached: boolean;
}

/** In a cluster such as `-pe`, the first letter that takes a value takes the rest. `open`: the rest of the word is unknown. */
export function readOption(text: string, open: boolean, names: OptionNames): ReadOption {
  if (text.startsWith('--')) {
    const equals = text.indexOf('=');
    const name = text.slice(2, equals === -1 ? undefined : equals);
    const attached = equals !== -1;
    // Programs accept abbreviated long options, so a prefix of a code option counts as one.
    if (names.code.some((code) => code.length > 1 && name !== '' && code.startsWith(name))) {
      return { type: 'code', name: names.code.find((code) => code.startsWith(name)) ?? name, attached };
    }
    return { type: attached || names.values.includes(name) ? 'value' : 'flag', name, attached };
  }
  for (let at = 1; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    const rest = text.slice(at + 1);
    if (names.code.includes(letter)) {
      // `node -pe CODE`: if all letters take code, the next word is code.
      const announcesNext = [...rest].every((other) => names.code.includes(other));
      return { type: 'code', name: letter, attached: open || !announcesNext };
    }
    if (names.values.includes(letter)) return { type: 'value', name: letter, attached: open || rest !== '' };
    if (names.own?.includes(letter)) return { type: 'value', name: letter, attached: true };
  }
  return { type: 'flag', name: text.slice(1), attached: false };
}
