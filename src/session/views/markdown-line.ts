import { isSuspect, visible } from '../../model/visible.ts';

/** Nearly all texts need no replacement. */
const IS_TIDY = /^[^\s<\]\u0000-\u001f\u007f-\u009f]+(?: [^\s<\]\u0000-\u001f\u007f-\u009f]+)*$/;

/** Puts untrusted text on one line of a generated page without markup, links or terminal control characters. */
export function markdownLine(text: string): string {
  if (IS_TIDY.test(text) && !isSuspect(text)) return text;
  return visible(text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim())
    .replace(/<(?=[A-Za-z/!?])/g, '\\<')
    .replace(/\](?=[([])/g, '\\]');
}
