/**
 * Characters that a person does not see, or that make them see something else than there is: controls, which steer a terminal; marks that
 * turn the direction of text; characters without width, by which two names can look the same. Everything that people are shown of an agent, a
 * file or somebody else goes through here; what programs read stays as it is.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]|(?<![^\u0000-\u007f])[\u200c\u200d]|[\u200c\u200d](?![^\u0000-\u007f])/g;

/** Nearly every text has none of them, and is told by this, which is quicker. */
const SUSPECT =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\udb40]/;

/** Whether there is anything to be made visible. */
export function isSuspect(text: string): boolean {
  return SUSPECT.test(text);
}

/** Keeps newlines and tabs, and joiners inside scripts and emoji that need them; the rest becomes its picture or its number. */
export function visible(text: string): string {
  return SUSPECT.test(text) ? text.replaceAll('\r\n', '\n').replace(UNSEEN, picture) : text;
}

function picture(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}
