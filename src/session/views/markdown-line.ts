import { isSuspect, visible } from '../../model/visible.ts';

/** Nearly all texts: nothing to replace. */
const IS_TIDY = /^[^\s<\]\u0000-\u001f\u007f-\u009f]+(?: [^\s<\]\u0000-\u001f\u007f-\u009f]+)*$/;

/** A text of somebody else on one line of a generated page, where it is neither markup nor a link nor a word to the terminal. */
export function markdownLine(text: string): string {
  if (IS_TIDY.test(text) && !isSuspect(text)) return text;
  return visible(text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim())
    .replace(/<(?=[A-Za-z/!?])/g, '\\<')
    .replace(/\](?=[([])/g, '\\]');
}
