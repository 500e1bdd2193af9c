import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { namespaceHelp } from '../../src/process/sandbox/user-namespaces.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

function kernel(settings: { readonly [name: string]: string }): string {
  const folder = temporaryFolder();
  for (const [name, value] of Object.entries(settings)) {
    const file = path.join(folder, ...name.split('.'));
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `${value}\n`);
  }
  return folder;
}

it.each([
  [
    'of Debian',
    { 'kernel.unprivileged_userns_clone': '0', 'user.max_user_namespaces': '31000' },
    'user namespaces are off (kernel.unprivileged_userns_clone is 0): as root, run `sysctl kernel.unprivileged_userns_clone=1`, or remove `sandbox`',
  ],
  [
    'of AppArmor, as on Ubuntu',
    {
      'kernel.unprivileged_userns_clone': '1',
      'kernel.apparmor_restrict_unprivileged_userns': '1',
      'user.max_user_namespaces': '31000',
    },
    'user namespaces are off (kernel.apparmor_restrict_unprivileged_userns is 1): as root, run `sysctl kernel.apparmor_restrict_unprivileged_userns=0`, or remove `sandbox`',
  ],
  [
    'of a hardened kernel, together with another',
    { 'kernel.unprivileged_userns_clone': '0', 'user.max_user_namespaces': '0' },
    'user namespaces are off (kernel.unprivileged_userns_clone is 0, user.max_user_namespaces is 0): as root, run `sysctl kernel.unprivileged_userns_clone=1 user.max_user_namespaces=15000`, or remove `sandbox`',
  ],
] as const)(
  'the setting %s that forbids user namespaces is named, with the command that allows them',
  (_, settings, help) => {
    expect(namespaceHelp(kernel(settings))).toBe(help);
  },
);

it('without such a setting, it is a container that forbids them', () => {
  const help = 'in a container, start it with the rights to create user namespaces, or remove `sandbox`';
  expect(namespaceHelp(kernel({ 'user.max_user_namespaces': '31000' }))).toBe(help);
  expect(namespaceHelp(kernel({}))).toBe(help);
});
