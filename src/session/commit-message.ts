/** The message of the commit of a task: `IMPL-2: Sign tokens`. */
export function commitMessage({ id, title }: { readonly id: string; readonly title: string }): string {
  const line = title.replaceAll(/\s+/g, ' ').trim();
  return line === '' || line === id ? id : `${id}: ${line}`;
}
