import type { StepSource } from '../schema/step.ts';

/** A script ends at a failed command, a failed part of a pipe and an unset variable. */
const SHELL_ARGV = {
  bash: ['bash', '-euo', 'pipefail', '-c'],
  sh: ['sh', '-eu', '-c'],
} as const;

/** The command line of a `script`. The script is its last argument. */
export function scriptArgv({ script, shell }: StepSource): readonly string[] | undefined {
  return script === undefined ? undefined : [...SHELL_ARGV[shell ?? 'bash'], script];
}

/** Runs a program that is not an agent. */
export function isCommandStep({ command, script }: StepSource): boolean {
  return command !== undefined || script !== undefined;
}
