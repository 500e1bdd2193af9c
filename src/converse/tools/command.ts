/** The command of a tool, with the agent's values for `{{input.x}}`. */
import type { JsonObject } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { parseCommandTokens } from '../../template/parse-tokens.ts';
import { describeRenderFailure } from '../../template/render.ts';
import { objectScope } from '../../template/scope.ts';
import { type ParsedCommand, parseCommand, renderCommand } from '../../template/shell/command.ts';

const ROOTS: ReadonlySet<string> = new Set(['input']);

/**
 * A value may become an argument or part of one, but never code or the program: that is reported as a problem. It is never part of a
 * script; a script's use of its parameters is checked as in a workflow.
 */
export function parseToolCommand(argv: readonly string[]): ParsedCommand {
  return parseCommand(argv, {
    parse: (text) => parseCommandTokens(text, ROOTS),
    spelling: 'tokens',
    keepsScripts: true,
    mayNameProgram: () => false,
  });
}

/** The error is a sentence for the agent. */
export function renderToolCommand(
  argv: readonly string[],
  input: JsonObject,
): Result<readonly string[], string> {
  const parsed = parseToolCommand(argv);
  const [refused] = parsed.problems;
  if (refused !== undefined) return error(refused.message);
  const rendered = renderCommand(parsed, objectScope({ input }));
  return rendered.type === 'ok' ? ok(rendered.value) : error(describeRenderFailure(rendered.error));
}
