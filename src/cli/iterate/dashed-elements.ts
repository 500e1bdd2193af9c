import type { Command } from 'commander';

/** `config claude.args --add --verbose`: an element of a list may look like an option of this program. */
export function takeDashedElements(command: Command): void {
  for (let each: Command | null = command; each !== null; each = each.parent) {
    const parse = each.parseOptions.bind(each);
    each.parseOptions = (argv) => parse(withElements(argv));
  }
}

function withElements(argv: readonly string[]): string[] {
  const config = argv.indexOf('config');
  const at = config === -1 ? -1 : argv.findIndex((word, index) => index > config && TAKES_ELEMENT.has(word));
  const element = at === -1 ? undefined : argv[at + 1];
  if (element === undefined || !element.startsWith('-')) return [...argv];
  return argv.toSpliced(at, 2, `${argv[at]}=${element}`);
}

const TAKES_ELEMENT: ReadonlySet<string> = new Set(['--add', '--remove']);
