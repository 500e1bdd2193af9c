/** Why this system refuses an ordinary user the namespaces that a sandbox needs, as far as its settings tell. */
import fs from 'node:fs';
import { join } from 'node:path';

const IN_A_CONTAINER = 'in a container, start it with the rights to create user namespaces';

/** Each with the value that forbids them, and the one that allows them. */
const SETTINGS = [
  { name: 'kernel.unprivileged_userns_clone', forbids: '0', allows: '1' },
  { name: 'kernel.apparmor_restrict_unprivileged_userns', forbids: '1', allows: '0' },
  { name: 'user.max_user_namespaces', forbids: '0', allows: '15000' },
] as const;

/** What to do about it. `settings`: the folder with the settings of the kernel. */
export function namespaceHelp(settings = '/proc/sys'): string {
  const forbidding = SETTINGS.filter(
    ({ name, forbids }) => valueIn(join(settings, ...name.split('.'))) === forbids,
  );
  if (forbidding.length === 0) return `${IN_A_CONTAINER}, or remove \`sandbox\``;
  const assignments = forbidding.map(({ name, allows }) => `${name}=${allows}`);
  const now = forbidding.map(({ name, forbids }) => `${name} is ${forbids}`).join(', ');
  return `user namespaces are off (${now}): as root, run \`sysctl ${assignments.join(' ')}\`, or remove \`sandbox\``;
}

/** Undefined: this kernel does not have the setting. */
function valueIn(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
