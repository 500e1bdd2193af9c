/** `orchestrate mcp`: serves tools and resources over standard input and output until the client closes them. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { error } from '../model/result.ts';
import { describeProblem } from '../operations/describe-problem.ts';
import { diskProblem } from '../operations/disk-problem.ts';
import type { Problem } from '../operations/problem.ts';
import { problemData } from '../operations/problem-data.ts';
import type { Site } from '../operations/site.ts';
import { notOffered, unknownTool } from './offered.ts';
import { PROMPTS, type Prompt, renderPrompt } from './prompts.ts';
import { listResources, readResource, TEMPLATES } from './resources.ts';
import { howToCall } from './tools/how-to-call.ts';
import { callTool, type Tool, type ToolAnswer, type ToolSite } from './tools/tool.ts';

/** As defined by the protocol. */
const RESOURCE_NOT_FOUND = -32002;

export interface Serving {
  readonly site: Site;
  readonly tools: readonly Tool[];
  /** Starts a run in a process of its own. */
  start: ToolSite['start'];
  readonly version: string;
  /** Reports bugs. */
  onBug(bug: unknown): void;
  /** The client no longer reads the answers. */
  onLostOutput(problem: unknown): void;
}

export async function serve(serving: Serving): Promise<void> {
  const closing = new AbortController();
  const server = createServer(serving, closing.signal);
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
  // A call that waits for a run must not keep the process alive.
  closing.abort();
}

function createServer(serving: Serving, closing: AbortSignal): Server {
  const { site, version, tools } = serving;
  const prompts = promptsFor(tools);
  const server = new Server(
    { name: 'orchestrate', version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions:
        'Starts and follows runs of this workspace, and reports progress on phases, tasks and queues. Call workflow_get first to see which phase is active.',
    },
  );
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: tools.map(({ name, description, input, readOnly }) => ({
      name,
      description,
      inputSchema: input as { type: 'object' } & JsonObject,
      annotations: { readOnlyHint: readOnly === true },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool !== undefined) {
      const call = {
        given: (params.arguments ?? {}) as JsonObject,
        signal: AbortSignal.any([signal, closing]),
      };
      return resultOf(await answer(tool, serving, call));
    }
    const refusal = notOffered(params.name);
    if (refusal === undefined)
      throw new McpError(ErrorCode.InvalidParams, describeProblem(unknownTool(params.name)).message);
    return resultOf(error(refusal));
  });
  server.setRequestHandler(ListPromptsRequestSchema, async () => ({
    prompts: prompts.map(({ name, description, arguments: given }) => ({
      name,
      description,
      arguments: given.map((each) => ({ ...each })),
    })),
  }));
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }) => {
    const rendered = renderPrompt(prompts, params.name, params.arguments ?? {});
    if (rendered.type === 'error') throw new McpError(ErrorCode.InvalidParams, rendered.error);
    return { messages: [{ role: 'user', content: { type: 'text', text: rendered.value } }] };
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
async function answer(
  tool: Tool,
  { site, start, onBug }: Serving,
  { given, signal }: { readonly given: JsonObject; readonly signal: AbortSignal },
): Promise<ToolAnswer> {
  try {
    return await callTool(tool, { ...site, start, signal }, given);
  } catch (cause) {
    const refused = diskProblem(cause);
    if (refused !== undefined) return error(refused);
    onBug(cause);
    return error(bug(cause));
  }
}

function bug(cause: unknown): Problem {
  return { type: 'bug', reason: cause instanceof Error ? cause.message : String(cause) };
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
  const { message, details, note, help, diagnostics } = problem;
  if (Array.isArray(diagnostics)) return diagnostics.map(diagnosticLine).join('; ');
  const words = [message, ...(Array.isArray(details) ? details : []), note, help];
  return words.filter((each) => each !== undefined).join('; ');
}

/** `line 4, column 7: unknown key \`nam\` (did you mean \`name\`?)` */
function diagnosticLine(diagnostic: JsonValue): string {
  const { line, column, message, help } = isJsonObject(diagnostic) ? diagnostic : {};
  const place = line === undefined ? '' : `line ${line}, column ${column}: `;
  return `${place}${message}${help === undefined ? '' : ` (${help})`}`;
}

/** Those whose tools are all offered. */
function promptsFor(tools: readonly Tool[]): readonly Prompt[] {
  const names = tools.map(({ name }) => name);
  return PROMPTS.filter((prompt) => prompt.tools.every((name) => names.includes(name)));
}
