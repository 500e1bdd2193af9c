/** Templates: the instructions and settings of a workspace, for new workspaces. */
import fs from 'node:fs';
import { join } from 'node:path';
import { defined } from '../../model/defined.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import {
  type DocumentParser,
  type DocumentProblem,
  documentText,
  loadDocument,
} from '../../store/document.ts';
import { nameAside } from '../../store/keep-aside.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { holdsCredentials } from '../notify-address.ts';
import { FILES, isWorkspaceName } from './layout.ts';
import { type Metadata, parseMetadata } from './metadata.ts';
import { problemText } from './problem-text.ts';
import { readTextIfThere, workspaceNames } from './workspaces.ts';

const TEMPLATE_FILE = 'template.json';
/** The original tool's name for it. */
const ORIGINAL_FILE = '.template.json';
/** The settings copied from a workspace. */
const CARRIED = [
  'mode',
  'maxIterations',
  'delay',
  'stagnationThreshold',
  'notifyUrl',
  'notifyEvents',
  'config',
] as const;
const CARRIED_FILES = [FILES.instructions, FILES.statusInstructions] as const;

export interface TemplateFolder {
  readonly source: 'project' | 'global';
  readonly folder: string;
}

export interface Template {
  readonly name: string;
  readonly source: TemplateFolder['source'];
  readonly folder: string;
  readonly created: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly estimatedIterations?: number;
  readonly settings: Pick<Metadata, (typeof CARRIED)[number]>;
  readonly files: { readonly [name: string]: string };
}

export interface TemplateAbout {
  readonly description?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly estimatedIterations?: number | undefined;
  /** Replaces a template of this name; the old one is kept under another name. */
  readonly replaces?: boolean | undefined;
}

export function saveTemplate(
  into: TemplateFolder,
  name: string,
  workspace: { readonly folder: string; readonly metadata: Metadata; readonly about?: TemplateAbout },
): Result<string, string> {
  const { replaces = false, ...about } = workspace.about ?? {};
  if (!isWorkspaceName(name)) return error(`\`${name}\` is not a valid template name`);
  const instructions = readTextIfThere(join(workspace.folder, FILES.instructions));
  if (instructions === undefined) return error('Instructions not found: nothing to save as a template');
  const folder = join(into.folder, name);
  if (fs.existsSync(folder)) {
    if (!replaces) return error(`Template already exists: ${name}`);
    fs.renameSync(folder, nameAside(folder));
  }
  makeFolder(folder);
  for (const file of CARRIED_FILES) {
    const text = readTextIfThere(join(workspace.folder, file));
    if (text !== undefined) replaceFile(join(folder, file), text, { mode: 0o644 });
  }
  const settings = Object.fromEntries(
    CARRIED.flatMap((key) => (workspace.metadata[key] === undefined ? [] : [[key, workspace.metadata[key]]])),
  );
  const document = { name, created: new Date().toISOString(), ...defined({ ...about }), ...settings };
  replaceFile(join(folder, TEMPLATE_FILE), documentText(document), {
    mode: holdsCredentials(document) ? 0o600 : 0o644,
  });
  return ok(folder);
}

/** Searched in folder order: a project's template hides a global one with the same name. */
export function findTemplate(folders: readonly TemplateFolder[], name: string): Result<Template, string> {
  if (!isWorkspaceName(name)) return error(`\`${name}\` is not a valid template name`);
  for (const { source, folder } of folders) {
    const own = join(folder, name);
    if (!fs.existsSync(own)) continue;
    const loaded = loadTemplate(own);
    if (loaded.type === 'error') return error(problemText(loaded.error));
    const files = CARRIED_FILES.flatMap((file) => {
      const text = readTextIfThere(join(own, file));
      return text === undefined ? [] : [[file, text] as const];
    });
    const settings = Object.fromEntries(
      CARRIED.flatMap((key) => (loaded.value[key] === undefined ? [] : [[key, loaded.value[key]]])),
    ) as Template['settings'];
    const created = String(loaded.value['created'] ?? '');
    const mode = loaded.value['mode'] === undefined ? ({ mode: 'loop' } as const) : {};
    return ok({
      ...{ name, source, folder: own, created, settings: { ...mode, ...settings } },
      ...aboutOf(loaded.value),
      files: Object.fromEntries(files),
    });
  }
  return error(`Template not found: ${name}`);
}

function aboutOf({
  description,
  tags,
  estimatedIterations,
}: JsonObject): Pick<Template, 'description' | 'tags' | 'estimatedIterations'> {
  return {
    ...(typeof description === 'string' ? { description } : {}),
    ...(Array.isArray(tags) ? { tags: tags.map(String) } : {}),
    ...(typeof estimatedIterations === 'number' ? { estimatedIterations } : {}),
  };
}

/** A folder with only instructions is a template too. */
function loadTemplate(folder: string): Result<JsonObject, DocumentProblem> {
  const files = [TEMPLATE_FILE, ORIGINAL_FILE, FILES.instructions];
  const [first = TEMPLATE_FILE] = files.filter((file) => fs.existsSync(join(folder, file)));
  return first === FILES.instructions ? ok({}) : loadDocument(join(folder, first), parseTemplate);
}

export function listTemplates(
  folders: readonly TemplateFolder[],
): readonly { readonly name: string; readonly source: TemplateFolder['source'] }[] {
  const seen = new Set<string>();
  return folders.flatMap(({ source, folder }) =>
    workspaceNames(folder)
      .filter((name) => isTemplate(join(folder, name)) && !seen.has(name))
      .map((name) => {
        seen.add(name);
        return { name, source };
      }),
  );
}

function isTemplate(folder: string): boolean {
  return [TEMPLATE_FILE, ORIGINAL_FILE, FILES.instructions].some((file) => fs.existsSync(join(folder, file)));
}

/** Validated like the metadata it will become. */
const parseTemplate: DocumentParser<JsonObject> = (value) => {
  if (!isJsonObject(value)) return error(['not a JSON object']);
  const now = new Date(0).toISOString();
  const counters = { totalIterations: 0, setupIterations: 0, executionIterations: 0 };
  const parsed = parseMetadata({
    ...value,
    name: 'template',
    created: now,
    status: 'in_progress',
    ...counters,
  });
  return parsed.type === 'ok' ? ok(value) : parsed;
};
