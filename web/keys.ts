/** A key that is meant for a field or a dialog is not a command of the page. */
export function isTyping({ target }: KeyboardEvent): boolean {
  const node = target as Element | null;
  return (
    /^(INPUT|TEXTAREA|SELECT)$/.test(node?.tagName ?? '') || document.querySelector('dialog[open]') !== null
  );
}

/** As the keyboard of this machine has it; both work everywhere. */
export const JUMP_KEY = /Mac|iP(?:hone|ad)/.test(navigator.platform) ? '⌘K' : 'Ctrl K';
