/** `orchestrate mcp`: serves tools and resources over standard input and output until the client closes them. */
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
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { error } from '../model/result.ts';
import { nearest } from '../model/suggest.ts';
import { diskProblem } from '../operations/disk-problem.ts';
import type { Problem } from '../operations/problem.ts';
import { problemData } from '../operations/problem-data.ts';
import type { Site } from '../operations/site.ts';
import { howToCall } from './how-to-call.ts';
import { PHASE_TOOLS } from './phase-tools.ts';
import { QUEUE_TOOLS } from './queue-tools.ts';
import { listResources, readResource, TEMPLATES } from './resources.ts';
import { RUN_TOOLS } from './run-tools.ts';
import { STATUS_TOOL } from './status-tool.ts';
import { TASK_TOOLS } from './task-tools.ts';
import { callTool, type Tool, type ToolAnswer } from './tool.ts';

export const TOOLS: readonly Tool[] = [
  ...PHASE_TOOLS,
  ...TASK_TOOLS,
  STATUS_TOOL,
  ...QUEUE_TOOLS,
  ...RUN_TOOLS,
];

/** As defined by the protocol. */
const RESOURCE_NOT_FOUND = -32002;

export interface Serving {
  readonly site: Site;
  readonly version: string;
  /** Reports bugs. */
  onBug(bug: unknown): void;
  /** The client no longer reads the answers. */
  onLostOutput(problem: unknown): void;
}

export async function serve(serving: Serving): Promise<void> {
  const server = createServer(serving);
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  await server.connect(new StdioServerTransport());
  process.stdin.once('end', () => void server.close());
  process.stdout.on('error', (problem) => {
    serving.onLostOutput(problem);
    void server.close();
  });
  await closed;
}

function createServer(serving: Serving): Server {
  const { site, version } = serving;
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
    return resultOf(await answer(tool, serving, (params.arguments ?? {}) as JsonObject));
  });
  server.setRequestHandler(ListResourcesRequestSchema, async () => ({
    resources: listResources(site).map((resource) => ({ ...resource })),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, async () => ({
    resourceTemplates: TEMPLATES.map((template) => ({ ...template })),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }) => {
    const read = readResource(site, params.uri);
    if (read.type === 'error') {
      const problem = problemData(read.error, howToCall);
      throw new McpError(RESOURCE_NOT_FOUND, textOf(problem), { problem });
    }
    return { contents: [{ ...read.value }] };
  });
  return server;
}

/** A file system error or a bug in one tool is reported to the agent; the server keeps running. */
async function answer(tool: Tool, { site, onBug }: Serving, given: JsonObject): Promise<ToolAnswer> {
  try {
    return await callTool(tool, site, given);
  } catch (cause) {
    const refused = diskProblem(cause);
    if (refused !== undefined) return error(refused);
    onBug(cause);
    return error(bug(cause));
  }
}

function bug(cause: unknown): Problem {
  const message = `internal error: ${cause instanceof Error ? cause.message : String(cause)}`;
  return { type: 'refused', kind: 'failed', message };
}

function resultOf(answered: ToolAnswer): CallToolResult {
  if (answered.type === 'error') {
    const problem = problemData(answered.error, howToCall);
    return {
      isError: true,
      content: [{ type: 'text', text: textOf(problem) }],
      structuredContent: { problem },
    };
  }
  const { value } = answered;
  return {
    content: [{ type: 'text', text: JSON.stringify(value, null, 2) }],
    ...(isJsonObject(value) ? { structuredContent: value as { [key: string]: unknown } } : {}),
  };
}

/** The problem and its help, on one line. */
function textOf(problem: JsonObject): string {
  const { message, details, note, help } = problem;
  const words = [message, ...(Array.isArray(details) ? details : []), note, help];
  return words.filter((each) => each !== undefined).join('; ');
}

function unknownTool(name: string): string {
  const near = nearest(
    name,
    TOOLS.map((tool) => tool.name),
  );
  return `unknown tool \`${name}\`${near === undefined ? '' : `; did you mean \`${near}\`?`}`;
}
