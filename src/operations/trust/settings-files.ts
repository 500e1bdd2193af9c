/** Which files of a folder an agent CLI reads when a program starts it there: those that make it run or allow something. */
import fs from 'node:fs';
import { join } from 'node:path';
import { parseJsonObject } from '../../model/json.ts';
import { readForeignBytes } from '../../store/read-foreign.ts';

/** Paths in the folder that the agent is started in, and in its parents up to the repository. */
interface SettingsOf {
  readonly files: readonly string[];
  /** They set variables for the agent and all it starts, such as the address of its model. */
  readonly variables: readonly string[];
  /** Every file below them: code that runs when the agent starts, and settings. */
  readonly folders: readonly string[];
}

const NOTHING: SettingsOf = { files: [], variables: [], folders: [] };

/** GitHub Copilot CLI uses only what it has itself asked the user about. */
const SETTINGS: { readonly [agent: string]: SettingsOf } = {
  claude: { ...NOTHING, files: ['.claude/settings.json', '.claude/settings.local.json', '.mcp.json'] },
  gemini: { ...NOTHING, files: ['.gemini/settings.json'], variables: ['.gemini/.env', '.env'] },
  codex: { ...NOTHING, files: ['.codex/config.toml'] },
  qwen: { ...NOTHING, files: ['.qwen/settings.json'], variables: ['.qwen/.env', '.env'] },
  opencode: { ...NOTHING, files: ['opencode.json', 'opencode.jsonc'], folders: ['.opencode'] },
};

/** Installed by package managers; they contain no settings of a folder. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git']);

export interface SettingsFile {
  readonly path: string;
  readonly bytes: Buffer;
  /** `variables` are often secrets. */
  readonly type: 'settings' | 'variables' | 'code';
}

/** Those that exist and say something. A file that cannot be read cannot be read by the agent either. */
export function settingsIn(agent: string, folder: string): readonly SettingsFile[] {
  const { files, variables, folders } = SETTINGS[agent] ?? NOTHING;
  return [
    ...files.flatMap((file) => read(join(folder, file), 'settings')),
    ...variables.flatMap((file) => read(join(folder, file), 'variables')),
    ...folders.flatMap((each) =>
      filesBelow(join(folder, each), new Set()).flatMap((path) =>
        read(path, /\.jsonc?$/.test(path) ? 'settings' : 'code'),
      ),
    ),
  ];
}

/** Folders below this one, without it, that have such settings. */
export function foldersWithSettings(agent: string, folder: string): readonly string[] {
  const { files, variables, folders } = SETTINGS[agent] ?? NOTHING;
  const places = [...files, ...variables, ...folders];
  if (places.length === 0) return [];
  return foldersBelow(folder).filter((each) => places.some((place) => fs.existsSync(join(each, place))));
}

function read(path: string, type: SettingsFile['type']): readonly SettingsFile[] {
  let bytes: Buffer;
  try {
    bytes = readForeignBytes(path);
  } catch (cause) {
    // Whatever is in it is shown as the size of the file.
    if ((cause as NodeJS.ErrnoException).code !== 'EFBIG') return [];
    bytes = Buffer.from(`${fs.statSync(path).size} bytes`);
  }
  const text = bytes.length > 1024 ? undefined : bytes.toString('utf8');
  const isEmpty = text !== undefined && (text.trim() === '' || isEmptyObject(text));
  return isEmpty ? [] : [{ path, bytes, type }];
}

function isEmptyObject(text: string): boolean {
  const value = parseJsonObject(text);
  return value !== undefined && Object.keys(value).length === 0;
}

/** Through links, each folder once. */
function filesBelow(folder: string, seen: Set<string>): readonly string[] {
  if (!isFolder(folder)) return [];
  const real = fs.realpathSync(folder);
  if (seen.has(real)) return [];
  seen.add(real);
  const names = entriesOf(folder).map(({ name }) => name);
  return names.sort().flatMap((name) => {
    const path = join(folder, name);
    if (SKIPPED.has(name)) return [];
    return isFolder(path) ? filesBelow(path, seen) : [path];
  });
}

function isFolder(path: string): boolean {
  try {
    return fs.statSync(path).isDirectory();
  } catch {
    // Missing, or unreadable for the agent, too.
    return false;
  }
}

function foldersBelow(folder: string): readonly string[] {
  const found: string[] = [];
  for (const waiting = [folder]; waiting.length > 0; ) {
    const at = waiting.pop() ?? folder;
    if (at !== folder) found.push(at);
    for (const entry of entriesOf(at))
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) waiting.push(join(at, entry.name));
  }
  return found.sort();
}

function entriesOf(folder: string): readonly fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
