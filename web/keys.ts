/** A key that is meant for a field or a dialog is not a command of the page. */
export function isTyping({ target }: KeyboardEvent): boolean {
  const node = target as Element | null;
  return (
    /^(INPUT|TEXTAREA|SELECT)$/.test(node?.tagName ?? '') || document.querySelector('dialog[open]') !== null
  );
}
