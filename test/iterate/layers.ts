/** Puts settings into the layers they may come from. */
import type { IterateInput } from '../../src/iterate/input.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { Project, TASK } from './rig.ts';

export const USER_FILE = '.config/claude-iterate/config.json';

/** A workspace without its own settings, so that the others show. */
export async function bareTask(): Promise<Project> {
  const project = new Project();
  await project.task();
  const { maxIterations: _m, delay: _d, stagnationThreshold: _s, ...kept } = project.metadata();
  project.write({ [`${TASK}/.metadata.json`]: JSON.stringify(kept) });
  return project;
}

export function put(project: Project, layer: string, value: JsonObject): void {
  const text = JSON.stringify(value);
  if (layer === 'user') project.write({ [USER_FILE]: text });
  if (layer === 'project') project.write({ '.claude-iterate.json': text });
  if (layer === 'workspace') {
    project.write({ [`${TASK}/.metadata.json`]: JSON.stringify({ ...project.metadata(), config: value }) });
  }
}

/** The input of the newest run. */
export function inputOf(project: Project): IterateInput {
  const started = project.journal().find((event) => event.type === 'run-started') as unknown as {
    readonly input: IterateInput;
  };
  return started.input;
}
