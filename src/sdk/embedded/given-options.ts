/** Options that do not exist are refused: what is misspelt would be ignored, and the default used instead. */
import { nearest } from '../../model/suggest.ts';
import { OrchestrateError } from '../errors.ts';
import type {
  ApproveOptions,
  OrchestratorOptions,
  ResumeOptions,
  StartOptions,
} from '../orchestrator-types.ts';

type Names<Given> = { readonly [Name in keyof Required<Given>]: true };

/** The compiler keeps them complete. */
const OPTIONS = {
  createOrchestrator: {
    ...{ workspace: true, workflows: true, onEvent: true, onProblem: true },
  } satisfies Names<OrchestratorOptions>,
  start: { agent: true } satisfies Names<StartOptions>,
  resume: { acceptChanges: true, asStarted: true } satisfies Names<ResumeOptions>,
  approve: { by: true, comment: true, values: true } satisfies Names<ApproveOptions>,
} as const;

export function checkOptions(method: keyof typeof OPTIONS, given: unknown): void {
  if (typeof given !== 'object' || given === null)
    throw refused(`the options of \`${method}\` must be an object, not \`${String(given)}\``);
  const valid = Object.keys(OPTIONS[method]);
  const unknown = Object.keys(given).find((name) => !valid.includes(name));
  if (unknown === undefined) return;
  const near = nearest(unknown, valid);
  throw refused(
    `unknown option \`${unknown}\` of \`${method}\``,
    near === undefined ? `valid options: ${valid.join(', ')}` : `did you mean \`${near}\`?`,
  );
}

function refused(message: string, help?: string): OrchestrateError {
  return new OrchestrateError({ kind: 'invalid', type: 'unknown-option', message, help });
}
