import { parseVariables } from '../../../template/parse-variables.ts';
import type { ParsedTemplate } from '../../../template/template.ts';
import { createReport } from '../report.ts';
import { textsOf } from '../texts.ts';
import type { WorkflowFile } from '../workflow-file.ts';
import { checkAsks } from './ask.ts';
import { checkCalls } from './calls.ts';
import { checkChoices } from './choices.ts';
import { checkCommands } from './commands.ts';
import { checkConditions } from './conditions.ts';
import { checkConversations } from './conversations.ts';
import { checkFields, checkQuestions } from './fields.ts';
import { checkGraphs } from './graphs.ts';
import { checkIsolation } from './isolation.ts';
import { checkJumps } from './jumps.ts';
import { checkLeaving } from './leaving.ts';
import { checkLoops } from './loops.ts';
import { checkNoEffect } from './no-effect.ts';
import { checkNotify } from './notify.ts';
import { checkPaths } from './paths.ts';
import { checkProviders } from './providers.ts';
import type { Rule } from './rule.ts';
import { checkSandboxes } from './sandbox.ts';
import { checkSchedules } from './schedules.ts';
import { checkShell } from './shell.ts';
import { checkStepKinds } from './step-kind.ts';
import { checkStepNames } from './step-names.ts';
import { checkTools } from './tools.ts';
import { checkVariables } from './variables.ts';

const RULES: readonly Rule[] = [
  checkStepKinds,
  checkCommands,
  checkStepNames,
  checkNoEffect,
  checkConditions,
  checkJumps,
  checkGraphs,
  checkChoices,
  checkFields,
  checkQuestions,
  checkCalls,
  checkLoops,
  checkLeaving,
  checkIsolation,
  checkProviders,
  checkTools,
  checkAsks,
  checkSandboxes,
  checkConversations,
  checkPaths,
  checkVariables,
  checkShell,
  checkSchedules,
  checkNotify,
];

export function checkRules(workspace: string, file: WorkflowFile): void {
  const texts = file.index.places.map(textsOf);
  const check = { file, workspace, texts, parse: parseOnce(), report: createReport(file.diagnostics) };
  for (const rule of RULES) rule(check);
}

function parseOnce(): (text: string) => ParsedTemplate {
  const parsed = new Map<string, ParsedTemplate>();
  return (text) => {
    const known = parsed.get(text) ?? parseVariables(text);
    parsed.set(text, known);
    return known;
  };
}
