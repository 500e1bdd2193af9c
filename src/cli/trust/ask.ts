/** Asks the user before a file of a project chooses what runs on this machine. */
import { jsonText } from '../../model/json.ts';
import type { NotTrusted } from '../../operations/problem.ts';
import type { WeighedClaim } from '../../operations/trust-book.ts';
import { printableLine } from '../../report/text/printable.ts';
import { cutTo } from '../../report/text/width.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import type { TrustOption } from '../run-options.ts';
import { siteOf } from '../site.ts';

const MOST_SHOWN = 20;
const WIDEST_VALUE = 200;

/** False if the answer was no or there is no terminal to ask on. The reason has been printed, and nothing has run. */
export async function agrees(
  context: CliContext,
  { folder, claims, unread }: NotTrusted,
  flags: TrustOption,
): Promise<boolean> {
  const shown = lines(claims);
  if (unread !== undefined)
    context.err(`warning: ${unread}; so you are asked about what you may have trusted before\n`);
  if (flags.trust === true) {
    if (flags.quiet !== true) context.err(`trusted from now on in ${folder}:\n${shown}`);
  } else {
    const agreed = await asked(context, folder, shown);
    if (agreed !== true) return false;
  }
  const kept = await siteOf(context).trust.agree(folder, claims);
  if (kept.type === 'error') context.err(`warning: your answer could not be saved: ${kept.error}\n`);
  return true;
}

async function asked(context: CliContext, folder: string, shown: string): Promise<boolean> {
  const what = `files in ${folder} choose what runs on this machine or where messages go`;
  if (process.stdin.isTTY === true && process.stderr.isTTY === true) context.err(`${what}:\n${shown}`);
  const agreed = await confirm('Trust them? You are asked again only if one of these changes.');
  if (agreed === true) return true;
  if (agreed === false) context.err('Not trusted: nothing was started.\n');
  else
    context.err(
      `error: ${what}, and you have not trusted them yet:\n${shown}help: review them, then use \`--trust\`; you are asked again only if one of these changes\n`,
    );
  return false;
}

function lines(claims: readonly WeighedClaim[]): string {
  const shown = claims.slice(0, MOST_SHOWN).map(({ name, value, shown: words, file, standing }) => {
    const where = [file, ...(standing === 'known' ? [] : [standing])].join('; ');
    return `  ${printableLine(name)} = ${valueText(words ?? jsonText(value))}  (${printableLine(where)})\n`;
  });
  const more = claims.length > MOST_SHOWN ? `  … and ${claims.length - MOST_SHOWN} more\n` : '';
  return shown.join('') + more;
}

function valueText(value: string): string {
  const text = printableLine(withoutPassword(value));
  const isLong = text.length > WIDEST_VALUE;
  return isLong ? `${cutTo(text, WIDEST_VALUE)} (${text.length} characters)` : text;
}

/** Hides the password of a URL, since logs may be shown elsewhere. */
function withoutPassword(text: string): string {
  return text.replace(/\/\/[^/\s@]*@/g, '//***@');
}
