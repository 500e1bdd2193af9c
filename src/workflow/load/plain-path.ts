/** `./a//b.yaml` → `a/b.yaml`: one file has one name. */
export function plainPath(path: string): string {
  return path
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/');
}

/** Whether rules reject it, since it leaves the workspace or contains variables. */
export function isUnusablePath(path: string): boolean {
  if (path === '' || path.includes('${')) return true;
  return /^(?:[/\\]|[A-Za-z]:)/.test(path) || path.split(/[/\\]/).includes('..');
}
