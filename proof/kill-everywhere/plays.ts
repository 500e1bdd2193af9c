import type { Play } from './play.ts';
import { PROGRAM_PLAYS } from './plays/programs.ts';
import { WORKFLOW_PLAYS } from './plays/workflow.ts';

export const PLAYS: readonly Play[] = [...WORKFLOW_PLAYS, ...PROGRAM_PLAYS];
