/** Which tools an agent may use, on a step, a provider or in `defaults`. */
import * as v from 'valibot';
import { later } from './later.ts';
import { argv, environmentName, filePath, NAME_PATTERN, text, words } from './scalars.ts';

const tools = (description: string) =>
  v.pipe(v.array(words('The name of a tool, as the agent itself writes it.')), v.description(description));

const server = v.strictObject({
  command: v.optional(argv('The program to start, which is reached on its standard input and output.')),
  env: v.optional(
    v.pipe(
      v.record(environmentName('The name of the variable.'), text('Its value, used as written.')),
      v.description('Environment variables of the server.'),
    ),
  ),
  secrets: v.optional(
    v.pipe(
      v.array(environmentName('The name of an environment variable.')),
      v.description('Environment variables that are passed to the server, and masked like those of a step.'),
    ),
  ),
  url: v.optional(words('The address of a server that is reached over HTTP.')),
  bearer_token: v.optional(
    environmentName('The environment variable with the token for `url`; it is masked like a secret.'),
  ),
});

export type McpServerSource = v.InferOutput<typeof server>;

export const toolEntries = {
  allowed_tools: v.optional(tools('Tools that the agent may use without asking for permission.')),
  denied_tools: v.optional(tools('Tools that the agent must not use, whatever its `permissions`.')),
  mcp_servers: v.optional(
    later(() =>
      v.pipe(
        v.record(
          v.pipe(
            v.string(),
            v.regex(NAME_PATTERN, 'must be letters, digits, `_` and `-`, and must not start with a digit'),
          ),
          v.pipe(server, v.description('A server: `command` or `url`.')),
        ),
        v.description('MCP servers of the agent, by name. `${…}` is not substituted here.'),
      ),
    ),
  ),
  mcp_config: v.optional(
    filePath(
      'A file with MCP servers in the format of the agent, instead of `mcp_servers`. Claude Code only.',
    ),
  ),
};

const source = v.strictObject(toolEntries);

export type ToolsSource = v.InferOutput<typeof source>;
