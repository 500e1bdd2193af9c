/** `ask` in a file: one schema for workflows, settings of loops and `.orchestrate/config.yaml`. */
import * as v from 'valibot';
import { ASK_ACTIONS, type AskRule } from './ask-rule.ts';
import { defined } from './defined.ts';

const words = (description: string) =>
  v.pipe(v.string(), v.nonEmpty('must not be empty'), v.description(description));

function makeRule() {
  return v.strictObject({
    tool: v.optional(
      v.pipe(
        v.union([
          words('The name of a tool, as the agent itself writes it.'),
          v.array(words('The name of a tool.')),
        ]),
        v.description('The tool or tools it is about, with `*` for any characters. Default: all.'),
      ),
    ),
    command: v.optional(
      words(
        'A glob for the commands of a shell tool, such as `git push*`. Each command of a script is compared; other words may be between those of the glob.',
      ),
    ),
    path: v.optional(
      words(
        'A glob for the file of a tool, such as `infra/**`: relative to the workspace, absolute, or `~/…`.',
      ),
    ),
    do: v.pipe(
      v.picklist(ASK_ACTIONS, 'must be `ask`, `deny` or `allow`'),
      v.description('`ask` a person, `deny` it, or `allow`: no later rule applies.'),
    ),
  });
}

let made: ReturnType<typeof makeRule> | undefined;

/** Made when a file has rules: most have none. */
export const askRule = v.lazy(() => {
  made ??= makeRule();
  return made;
});

export const askRules = v.pipe(
  v.array(v.pipe(askRule, v.description('A rule: what it is about, and what to `do`.'))),
  v.description(
    'Rules for the tool calls of the agent; the first that matches counts. Rules only restrict: what they allow is left to the permissions of the agent.',
  ),
);

export type AskRuleSource = v.InferOutput<ReturnType<typeof makeRule>>;

export function defineAsk(source: readonly AskRuleSource[]): readonly AskRule[] {
  return source.map(({ tool, command, path, do: action }) => ({
    ...(tool === undefined ? {} : { tools: typeof tool === 'string' ? [tool] : tool }),
    ...defined({ command, path }),
    do: action,
  }));
}
