import fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { claimsOf } from '../../converse/config/claims.ts';
import { loadConfig } from '../../converse/config/load-config.ts';
import { errnoWords } from '../../model/describe-failure.ts';
import { placeFile } from '../../store/atomic-write.ts';
import { errnoOf } from '../../store/errno.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { realPath } from '../../store/own-path.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { vouch } from '../trust/with-trust.ts';
import { refuse } from './site.ts';
import { TEMPLATES } from './templates.ts';

/** Makes the files a workspace begins with; nothing that is there is overwritten. */
export async function initWorkspace(context: CliContext, dir: string, name: string): Promise<number> {
  const template = TEMPLATES[name];
  if (template === undefined) throw new Error(`there is no template \`${name}\``);
  const folder = realPath(resolve(context.workspace, dir));
  const taken = Object.keys(template.files).filter((path) => fs.existsSync(join(folder, path)));
  if (taken.length > 0) {
    const which = taken.map((path) => `\`${join(dir, path)}\``).join(', ');
    refuse(context, {
      error: `${which} ${taken.length === 1 ? 'is' : 'are'} there already, and nothing is overwritten`,
      help: 'name another folder',
    });
    return context.exitCode;
  }
  for (const [path, contents] of Object.entries(template.files)) {
    const file = join(folder, path);
    try {
      makeFolder(dirname(file));
      if (!placeFile(file, contents, { mode: 0o644 })) throw new Error(`\`${file}\` came meanwhile`);
    } catch (cause) {
      refuse(context, {
        error: `cannot write \`${join(dir, path)}\`: ${errnoWords(errnoOf(cause))}`,
        exitCode: EXIT.failed,
      });
      return context.exitCode;
    }
    context.out(`${join(dir, path)}\n`);
  }
  const config = loadConfig({ folder: fs.realpathSync(folder), shown: dir });
  if (config.type === 'ok') {
    const after = claimsOf(config.value, fs.realpathSync(folder));
    await vouch(context, { folder, before: [], after });
  }
  context.err(
    `next:\n  orchestrate converse run ${dir} --dry-run   # no key, no model\n  orchestrate converse run ${dir}\n`,
  );
  return EXIT.done;
}
