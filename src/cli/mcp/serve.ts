/** `orchestrate mcp`: tools and resources over standard input and output, until the client closes them. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { error } from '../../model/result.ts';
import { nearest } from '../../model/suggest.ts';
import { describeRefusal } from '../../store/describe-refusal.ts';
import { errnoOf } from '../../store/errno.ts';
import type { CliContext } from '../context.ts';
import { outputRefused } from '../standard-output.ts';
import { PHASE_TOOLS } from './phase-tools.ts';
import { QUEUE_TOOLS } from './queue-tools.ts';
import { listResources, readResource, TEMPLATES } from './resources.ts';
import { RUN_TOOLS } from './run-tools.ts';
import { STATUS_TOOL } from './status-tool.ts';
import { TASK_TOOLS } from './task-tools.ts';
import { callTool, refusal, type Tool, type ToolAnswer } from './tool.ts';

export const TOOLS: readonly Tool[] = [
  ...PHASE_TOOLS,
  ...TASK_TOOLS,
  STATUS_TOOL,
  ...QUEUE_TOOLS,
  ...RUN_TOOLS,
];

/** As the protocol has it. */
const RESOURCE_NOT_FOUND = -32002;

export async function serve(context: CliContext, version: string): Promise<void> {
  const server = createServer(context, version);
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  await server.connect(new StdioServerTransport());
  process.stdin.once('end', () => void server.close());
  // Nobody hears the answers any more.
  process.stdout.on('error', (problem) => {
    outputRefused(errnoOf(problem));
    void server.close();
  });
  await closed;
}

function createServer(context: CliContext, version: string): Server {
  const server = new Server(
    { name: 'orchestrate', version },
    {
      capabilities: { tools: {}, resources: {} },
      instructions:
        'Reports progress on phases, tasks, queues and runs of this workspace. Call workflow_get first to see which phase is active.',
    },
  );
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: TOOLS.map(({ name, description, input, readOnly }) => ({
      name,
      description,
      inputSchema: input as { type: 'object' } & JsonObject,
      annotations: { readOnlyHint: readOnly === true },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const tool = TOOLS.find(({ name }) => name === params.name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, unknownTool(params.name));
    return resultOf(await answer(tool, context, (params.arguments ?? {}) as JsonObject));
  });
  server.setRequestHandler(ListResourcesRequestSchema, async () => ({
    resources: listResources(context).map((resource) => ({ ...resource })),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, async () => ({
    resourceTemplates: TEMPLATES.map((template) => ({ ...template })),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }) => {
    const read = await readResource(context, params.uri);
    if (read.type === 'error') throw new McpError(RESOURCE_NOT_FOUND, read.error);
    return { contents: [{ ...read.value }] };
  });
  return server;
}

/** What the disk refuses, and a bug in one tool, is told to the agent; the server goes on. */
async function answer(tool: Tool, context: CliContext, given: JsonObject): Promise<ToolAnswer> {
  try {
    return await callTool(tool, context, given);
  } catch (cause) {
    const refused = describeRefusal(cause);
    if (refused !== undefined) return error(refusal(refused));
    context.err(`internal error: ${cause instanceof Error ? cause.stack : String(cause)}\n`);
    return error(`internal error: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

function resultOf(answered: ToolAnswer): CallToolResult {
  if (answered.type === 'error') return { isError: true, content: [{ type: 'text', text: answered.error }] };
  const { value } = answered;
  return {
    content: [{ type: 'text', text: JSON.stringify(value, null, 2) }],
    ...(isJsonObject(value) ? { structuredContent: value as { [key: string]: unknown } } : {}),
  };
}

function unknownTool(name: string): string {
  const near = nearest(
    name,
    TOOLS.map((tool) => tool.name),
  );
  return `there is no tool \`${name}\`${near === undefined ? '' : `; did you mean \`${near}\`?`}`;
}
