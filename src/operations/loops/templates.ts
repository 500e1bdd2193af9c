import { workspaceLayer } from '../../iterate/config/layers.ts';
import { shownSettings } from '../../iterate/notify-address.ts';
import { isWorkspaceName } from '../../iterate/workspace/layout.ts';
import { createMetadata } from '../../iterate/workspace/metadata.ts';
import {
  findTemplate,
  listTemplates,
  saveTemplate,
  type Template,
  type TemplateAbout,
  type TemplateFolder,
} from '../../iterate/workspace/templates.ts';
import { createWorkspace } from '../../iterate/workspace/workspaces.ts';
import { defined } from '../../model/defined.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { removeFolder } from '../../store/remove-folder.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import type { LoopCreated } from './create-loop.ts';
import { openLoop } from './site/find-loop.ts';
import { type Loops, type OfLoop, type OfLoops, openLoops } from './site/loops.ts';
import { trustSettings } from './site/trust-settings.ts';

export type { Template } from '../../iterate/workspace/templates.ts';

export interface OfTemplate extends OfLoops {
  readonly template: string;
  /** Only that for all projects of this user; by default that of the project comes first. */
  readonly isGlobal?: boolean | undefined;
}

export interface SaveLoopTemplate extends OfLoop {
  /** Default: the name of the workspace. */
  readonly template?: string | undefined;
  /** Save it for all projects of this user. */
  readonly isGlobal?: boolean | undefined;
  readonly about?: TemplateAbout;
}

export function saveLoopTemplate(
  site: Site,
  asked: SaveLoopTemplate,
): Result<{ readonly template: string; readonly folder: string }, Problem> {
  const opened = openLoop(site, asked);
  if (opened.type === 'error') return opened;
  const { loops, workspace } = opened.value;
  const [project, global] = foldersOf(loops);
  const template = asked.template ?? asked.name;
  const saved = saveTemplate(asked.isGlobal === true ? global : project, template, {
    folder: workspace.paths.folder,
    metadata: workspace.metadata,
    ...defined({ about: asked.about }),
  });
  return saved.type === 'ok'
    ? ok({ template, folder: saved.value })
    : error({ type: 'loop-template-not-saved', reason: saved.error });
}

export async function createLoopFromTemplate(
  site: Site,
  asked: OfTemplate & OfLoop,
): Promise<Result<LoopCreated, Problem>> {
  const found = openTemplate(site, asked);
  if (found.type === 'error') return found;
  const { loops, template } = found.value;
  const { name } = asked;
  if (!isWorkspaceName(name)) return error({ type: 'invalid-loop-name' });
  const metadata = createMetadata({ ...template.settings, name }, site.now());
  const created = await createWorkspace(loops.workspacesDir, metadata, template.files);
  if (created.type === 'error')
    return error(
      created.error.type === 'broken'
        ? { type: 'broken-loop', reason: created.error.message }
        : { type: 'loop-exists', name },
    );
  const { folder, metadata: file } = created.value.paths;
  // The user's own templates are trusted; the project's are not.
  const layer = workspaceLayer(metadata, file);
  const trustProblem =
    layer.type === 'ok' && isUsersOwn(loops, template)
      ? await trustSettings(site, loops.config, loops.config.with(layer.value))
      : undefined;
  return ok({ folder, ...defined({ trustProblem }) });
}

export function listLoopTemplates(
  site: Site,
  asked: OfLoops,
): Result<ReturnType<typeof listTemplates>, Problem> {
  const loops = openLoops(site, asked);
  return loops.type === 'ok' ? ok(listTemplates(foldersOf(loops.value))) : loops;
}

/** Without credentials. */
export function readLoopTemplate(site: Site, asked: OfTemplate): Result<Template, Problem> {
  const found = openTemplate(site, asked);
  return found.type === 'ok' ? ok(shownSettings(found.value.template)) : found;
}

export function deleteLoopTemplate(site: Site, asked: OfTemplate): Result<Template, Problem> {
  const found = readLoopTemplate(site, asked);
  if (found.type === 'ok') removeFolder(found.value.folder);
  return found;
}

function openTemplate(
  site: Site,
  asked: OfTemplate,
): Result<{ readonly loops: Loops; readonly template: Template }, Problem> {
  const loops = openLoops(site, asked);
  if (loops.type === 'error') return loops;
  const [project, global] = foldersOf(loops.value);
  const found = findTemplate(asked.isGlobal === true ? [global] : [project, global], asked.template);
  return found.type === 'ok'
    ? ok({ loops: loops.value, template: found.value })
    : error({ type: 'loop-template-not-found', reason: found.error });
}

function foldersOf({ config }: Loops): readonly [TemplateFolder, TemplateFolder] {
  return [
    { source: 'project', folder: config.folder('templatesDir') },
    { source: 'global', folder: config.folder('globalTemplatesDir') },
  ];
}

function isUsersOwn({ config }: Loops, { source }: Template): boolean {
  return source === 'global' && config.setting('globalTemplatesDir').from !== 'project';
}
