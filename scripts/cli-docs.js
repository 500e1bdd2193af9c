// Writes docs/cli.md: what `--help` says, of every command. With `--check` it writes nothing and fails where the page differs.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const page = path.join(root, 'docs', 'cli.md');
const text = `# Commands

What \`--help\` says, of every command. Results go to standard output, talk goes to standard error; \`--json\`, where a command has
it, is for programs. What the exit codes mean is in [exit-codes.md](exit-codes.md).

${sectionsOf([])}
This page is made by \`node scripts/cli-docs.js\`.
`;

if (!process.argv.includes('--check')) fs.writeFileSync(page, text);
else if (!fs.existsSync(page) || fs.readFileSync(page, 'utf8') !== text) {
  console.error('docs/cli.md is out of date: run `node scripts/cli-docs.js`');
  process.exitCode = 1;
}

/** The command's own section, then those of its subcommands. */
function sectionsOf(words) {
  const help = helpOf(words);
  const title = ['orchestrate', ...words].join(' ');
  const own = `${'#'.repeat(words.length < 2 ? 2 : 3)} ${title}\n\n\`\`\`text\n${help.trimEnd()}\n\`\`\`\n`;
  return [own, ...subcommandsIn(help).map((name) => sectionsOf([...words, name]))].join('\n');
}

function helpOf(words) {
  const { NO_COLOR, FORCE_COLOR, COLUMNS, ...env } = process.env;
  const made = spawnSync(process.execPath, [path.join(root, 'bin', 'orchestrate.js'), ...words, '--help'], {
    encoding: 'utf8',
    env,
  });
  if (made.status !== 0) throw new Error(`\`${words.join(' ')} --help\` failed:\n${made.stderr}`);
  return made.stdout;
}

/** Names under every heading but the options' and arguments' ones; `help` describes itself. */
function subcommandsIn(help) {
  const names = [];
  let heading = '';
  for (const line of help.split('\n')) {
    if (/^\S.*:$/.test(line)) heading = line;
    const name = /^ {2}([a-z][a-z-]*)(?: |$)/.exec(line)?.[1];
    if (name === undefined || name === 'help' || /^(?:Options|Arguments|Examples?):$/.test(heading)) continue;
    names.push(name);
  }
  return names;
}
