/** Splits a task into phases given by the caller, by a file, or by an agent. */
import fs from 'node:fs';
import { resolve } from 'node:path';
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import type { KeptFile } from '../../model/kept-file.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { newDocument, type PhasePlan, type PhasesDocument } from '../../phases/document.ts';
import { ALREADY_THERE } from '../../phases/files/alone.ts';
import { createPhases as create } from '../../phases/files/change-document.ts';
import { phasesPaths } from '../../phases/layout.ts';
import { parsePlan } from '../../phases/run/plan.ts';
import { plainData } from '../../store/plain-data.ts';
import type { FileKind } from '../../store/yaml/file-kind.ts';
import { parseYaml } from '../../store/yaml/parse-yaml.ts';
import { readSource } from '../../store/yaml/read-source.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { archivePhases } from './archive-phases.ts';
import { changedBy } from './change-phase.ts';
import { phasesProblem } from './phases-problem.ts';

export type { PhasePlan } from '../../phases/document.ts';

export interface NewPhases {
  readonly task: string;
  /** Archive an existing workflow first. */
  readonly archives?: boolean;
}

export interface PhasesCreated {
  readonly document: PhasesDocument;
  readonly kept: readonly KeptFile[];
}

/** Checks the request before an agent is asked for the phases. */
export function mayPlanPhases(
  { workspace }: Pick<Site, 'workspace'>,
  { task, archives }: NewPhases,
): Result<void, Problem> {
  if (task.trim() === '') return error(EMPTY_TASK);
  const path = phasesPaths(workspace).document;
  if (!fs.existsSync(path) || archives === true) return ok(undefined);
  return error(phasesProblem({ type: 'exists', path, message: ALREADY_THERE }));
}

export async function createPhases(
  site: Site,
  asked: NewPhases & { readonly phases: readonly PhasePlan[] },
): Promise<Result<PhasesCreated, Problem>> {
  if (asked.task.trim() === '') return error(EMPTY_TASK);
  const plan = checkedPlan(asked.phases as unknown as JsonValue);
  if (plan.type === 'error') return plan;
  const paths = phasesPaths(site.workspace);
  const archives = asked.archives === true && fs.existsSync(paths.document);
  const archived = archives ? await archivePhases(site) : ok({ kept: [] });
  if (archived.type === 'error') return archived;
  const created = await create(paths, changedBy(site), newDocument(asked.task, plan.value, site.now()));
  if (created.type === 'error') return error(phasesProblem(created.error));
  const { document, kept } = created.value;
  return ok({ document, kept: [...archived.value.kept, ...kept] });
}

const EMPTY_TASK: Problem = { type: 'empty-phases-task' };
const PHASES_FILE: FileKind = {
  noun: 'list of phases',
  emptyHelp: 'write a list of `title` and `agent`',
  tooLargeHelp: 'put fewer phases into it',
};
const MOST_ALIASES = 100;

/** A list of titles and agents, in JSON or YAML. */
export function readPhasesFile(
  { workspace }: Pick<Site, 'workspace'>,
  file: string,
): Result<readonly PhasePlan[], Problem> {
  const read = readSource(resolve(workspace, file), file, PHASES_FILE);
  if (read.type === 'error') return error({ type: 'unreadable-phases-file', reason: read.error.message });
  const parsed = parseYaml(read.value.file, PHASES_FILE);
  if (parsed.type === 'error') return error(unusable(file, parsed.error[0]?.message ?? 'not valid YAML'));
  try {
    const value = plainData(parsed.value.toJS({ maxAliasCount: MOST_ALIASES }));
    return checkedPlan(isJsonObject(value) ? (value['phases'] ?? null) : value);
  } catch (cause) {
    return error(unusable(file, (cause as Error).message.split('\n', 1)[0] ?? ''));
  }
}

function unusable(file: string, why: string): Problem {
  return { type: 'invalid-phases-file', file, reason: why };
}

function checkedPlan(value: JsonValue): Result<readonly PhasePlan[], Problem> {
  const plan = parsePlan(value);
  return plan.type === 'ok' ? plan : error({ type: 'invalid-phases', faults: plan.error });
}
