import { findProgram } from '../../process/find-program.ts';
import type { Machine } from '../../workflow/load/check-environment.ts';
import { whyNoRepository } from '../check-repository.ts';
import type { Site } from '../site.ts';

/** What workflow checks need to know about this machine. */
export function machine(
  { environment, workspace }: Pick<Site, 'environment' | 'workspace'>,
  options: { readonly withoutAgents?: boolean } = {},
): Machine {
  const found = new Map<string, boolean>();
  return {
    variables: Object.keys(environment).filter((name) => environment[name] !== undefined),
    hasProgram(name) {
      const known = found.get(name) ?? findProgram(name, environment['PATH']) !== undefined;
      found.set(name, known);
      return known;
    },
    whyNoRepository: () => whyNoRepository({ environment, workspace }),
    ...(options.withoutAgents === true ? { withoutAgents: true } : {}),
  };
}
