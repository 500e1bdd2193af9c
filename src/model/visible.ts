/**
 * Characters that are invisible or mislead the reader: controls, which steer a terminal; marks that change the
 * direction of text; characters without width, by which two names can look the same. All text from an agent, a file or another user
 * passes through here before it is displayed; data for programs stays as it is.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]|(?<![^\u0000-\u007f])[\u200c\u200d]|[\u200c\u200d](?![^\u0000-\u007f])/g;

/** Nearly every text has none of them; this test is faster. */
const SUSPECT =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\udb40]/;

/** Whether the text contains anything to make visible. */
export function isSuspect(text: string): boolean {
  return SUSPECT.test(text);
}

/** Keeps newlines, tabs, and joiners that scripts and emoji need; everything else becomes its picture or its number. */
export function visible(text: string, shown: (character: string) => string = picture): string {
  if (!SUSPECT.test(text)) return text;
  const lines = shown === picture ? text.replaceAll('\r\n', '\n') : text;
  return lines.replace(UNSEEN, (character) => shown(character));
}

function picture(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}
