import { findProgram } from '../process/find-program.ts';
import type { Surroundings } from '../workflow/load/check-surroundings.ts';

/** This machine, as far as a workflow can miss something on it. */
export function surroundings(options: { readonly withoutAgents?: boolean } = {}): Surroundings {
  const found = new Map<string, boolean>();
  return {
    variables: Object.keys(process.env).filter((name) => process.env[name] !== ''),
    hasProgram(name) {
      const known = found.get(name) ?? findProgram(name, process.env['PATH']) !== undefined;
      found.set(name, known);
      return known;
    },
    ...(options.withoutAgents === true ? { withoutAgents: true } : {}),
  };
}
