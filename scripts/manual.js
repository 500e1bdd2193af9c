/** The manual page, `man orchestrate`: the help of every command, from docs/cli.md, and the exit codes, from docs/exit-codes.md. */

const FILES = [
  [
    '.orchestrate/',
    'runs, their journals, logs and reports, in each workspace (docs/files.md of the package)',
  ],
  ['~/.config/orchestrate/config.yaml', 'settings of the user'],
  ['~/.cache/orchestrate/', 'compiled code of the program; can be removed at any time'],
];
const ENVIRONMENT = [
  ['CI', 'if set, a run prints plain lines even on a terminal'],
  ['NO_COLOR, FORCE_COLOR', 'switch colours off or on; FORCE_COLOR decides if both are set'],
];

/** `cli` and `exitCodes` are the texts of the two pages. */
export function renderManual({ cli, exitCodes, version }) {
  const [[, main], ...commands] = sectionsOf(cli);
  const [usage, description] = main.split('\n\n');
  return [
    `.TH ORCHESTRATE 1 "" "orchestrate ${version}"`,
    '.SH NAME',
    'orchestrate, claude\\-iterate \\- run coding agents as durable work',
    '.SH SYNOPSIS',
    verbatim(usage.replace(/^Usage: /, '')),
    '.SH DESCRIPTION',
    plain(description),
    verbatim(main.slice(usage.length + description.length + 4)),
    '.SH COMMANDS',
    ...commands.map(([title, help]) => `.SS ${plain(title)}\n${verbatim(help)}`),
    '.SH EXIT STATUS',
    ...exitRowsOf(exitCodes).map(listed),
    '.SH ENVIRONMENT',
    ...ENVIRONMENT.map(listed),
    '.SH FILES',
    ...FILES.map(listed),
    '',
  ].join('\n');
}

/** Each title with the text of its block. */
function sectionsOf(cli) {
  return [...cli.matchAll(/^##+ (.+)\n\n```text\n([\s\S]*?)\n```$/gm)].map(([, title, help]) => [
    title,
    help,
  ]);
}

/** Code and meaning of each row of the first table. */
function exitRowsOf(page) {
  const [table] = /^\| code \|[\s\S]*?\n\n/m.exec(page);
  const rows = table.trim().split('\n').slice(2);
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, 3)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

function listed([term, text]) {
  return `.TP\n${plain(term)}\n${plain(text)}`;
}

function verbatim(text) {
  return `.nf\n${plain(text)}\n.fi`;
}

/** In roff a backslash begins an escape, a hyphen may become another character, and a dot or quote at the start of a line is a request. */
function plain(text) {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/gm, '\\&')
    .replace(
      /[^\x00-\x7f]/gu,
      (char) => `\\[u${char.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
    );
}
