/** Loads the files of a conversation workspace into the input of a conversation, or reports everything wrong with them. */
import fs from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { AGENT_NAMES } from '../../model/agent.ts';
import { defined } from '../../model/defined.ts';
import { type Diagnostic, hasErrors } from '../../model/diagnostic.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { nearest } from '../../model/suggest.ts';
import type { FileKind } from '../../store/yaml/file-kind.ts';
import { type ConfigFile, readConfigFile } from '../../store/yaml/read-config-file.ts';
import { createReport } from '../../store/yaml/report.ts';
import type { ConverseAgent, ConverseInput, Tool } from '../input.ts';
import { CONFIG } from '../layout.ts';
import type { ConverseCode } from './codes.ts';
import { DEFAULT_AGENT, defineAgent } from './define-agent.ts';
import { defineTools } from './define-tools.ts';
import { loadTemplates } from './load-templates.ts';
import { type AgentSource, toolsSchema, type WorkflowSource, workflowSchema } from './schema.ts';

export interface ConverseConfig
  extends Pick<ConverseInput, 'root' | 'agent' | 'maxIterations' | 'tools' | 'templates' | 'limits'> {
  readonly task?: string;
}

export interface LoadSite {
  /** Absolute path. */
  readonly folder: string;
  /** The folder as the user would write it, for paths in messages. */
  readonly shown: string;
  /** `--agent`. */
  readonly agent?: string;
}

const WORKFLOW_KIND: FileKind = {
  noun: 'workflow',
  emptyHelp: 'a conversation workflow needs at least a `task`',
  tooLargeHelp: 'put long texts into files that the tools can read',
};
const TOOLS_KIND: FileKind = {
  noun: 'list of tools',
  emptyHelp: 'write `tools: []` for a conversation without tools',
  tooLargeHelp: 'remove tools that are not needed',
};
const DEFAULTS = {
  maxIterations: 10,
  contextBudgetTokens: 100_000,
  maxConsecutiveErrors: 3,
  parallelTools: 4,
} as const;

export function loadConfig(site: LoadSite): Result<ConverseConfig, readonly Diagnostic[]> {
  const place = (path: string) => ({ folder: site.folder, path, shown: join(site.shown, path) });
  const workflow = readConfigFile(place(CONFIG.workflow), WORKFLOW_KIND, workflowSchema);
  const tools = fs.existsSync(join(site.folder, CONFIG.tools))
    ? readConfigFile(place(CONFIG.tools), TOOLS_KIND, toolsSchema)
    : undefined;
  if (workflow.type === 'error' || tools?.type === 'error') {
    return error([...problemsOf(workflow), ...(tools === undefined ? [] : problemsOf(tools))]);
  }
  const file = workflow.value;
  const known = tools === undefined ? [] : defineTools(tools.value);
  const templateProblems: Diagnostic[] = [];
  const templates = loadTemplates(
    { folder: site.folder, shownFolder: site.shown, diagnostics: templateProblems },
    file,
  );
  const chosen = chosenTools(file, known);
  const root = rootOf(file, site);
  const agent = agentOf(file, site);
  const diagnostics = [...file.diagnostics, ...(tools?.value.diagnostics ?? []), ...templateProblems];
  if (hasErrors(diagnostics) || agent === undefined) return error(diagnostics);
  const { limits = {} } = file.source;
  return ok({
    ...defined({ task: file.source.task }),
    root,
    agent,
    maxIterations: file.source.max_iterations ?? DEFAULTS.maxIterations,
    tools: chosen,
    templates,
    limits: {
      contextBudgetTokens: limits.context_budget_tokens ?? DEFAULTS.contextBudgetTokens,
      maxConsecutiveErrors: limits.max_consecutive_errors ?? DEFAULTS.maxConsecutiveErrors,
      parallelTools: limits.parallel_tools ?? DEFAULTS.parallelTools,
    },
  });
}

function problemsOf<Source>(read: Result<ConfigFile<Source>, readonly Diagnostic[]>): readonly Diagnostic[] {
  return read.type === 'error' ? read.error : read.value.diagnostics;
}

/** All tools, or those listed in `tools`, in that order. */
function chosenTools(file: ConfigFile<WorkflowSource>, tools: readonly Tool[]): readonly Tool[] {
  const wanted = file.source.tools;
  if (wanted === undefined) return tools;
  const report = createReport<ConverseCode>(file.diagnostics);
  const names = tools.map((tool) => tool.name);
  return wanted.flatMap((name, index) => {
    const tool = tools.find((one) => one.name === name);
    if (tool !== undefined) return [tool];
    const near = nearest(name, names);
    report.error('converse/unknown-tool', file.places.valueRange(wanted, index), {
      message: `unknown tool \`${name}\`: it is not in \`${CONFIG.tools}\``,
      help:
        near === undefined
          ? `available tools: ${names.length === 0 ? 'none' : names.map((one) => `\`${one}\``).join(', ')}`
          : `did you mean \`${near}\`?`,
    });
    return [];
  });
}

/** The folder that tools may change. The user sets it, so it may be any existing folder. */
function rootOf(file: ConfigFile<WorkflowSource>, site: LoadSite): string {
  const path = resolve(site.folder, file.source.root ?? '.');
  try {
    const real = fs.realpathSync(path);
    if (fs.statSync(real).isDirectory()) return real;
  } catch {
    // Reported below, like a file at this path.
  }
  createReport<ConverseCode>(file.diagnostics).error(
    'converse/bad-root',
    file.places.valueRange(file.source, 'root'),
    {
      message: `\`root\` is \`${file.source.root ?? '.'}\`, which is not a folder`,
      help: `the path is relative to \`${relative(process.cwd(), site.folder) || '.'}\``,
    },
  );
  return path;
}

/** The agent of the file, unless `--agent` names another. */
function agentOf(file: ConfigFile<WorkflowSource>, site: LoadSite): ConverseAgent | undefined {
  const { agent: given = DEFAULT_AGENT } = file.source;
  const written: AgentSource = typeof given === 'string' ? { name: given } : given;
  const isOther = site.agent !== undefined && site.agent !== written.name;
  const source: AgentSource = isOther ? { name: site.agent ?? '' } : written;
  const agent = defineAgent(source);
  if (agent !== undefined) return agent;
  const near = nearest(source.name, AGENT_NAMES);
  file.diagnostics.push({
    code: 'converse/unknown-agent' satisfies ConverseCode,
    severity: 'error',
    message: `unknown agent \`${source.name}\``,
    ...(isOther ? {} : { range: file.places.valueRange(file.source, 'agent') }),
    help:
      near === undefined
        ? `use one of ${AGENT_NAMES.join(', ')}, or give its \`command\` in \`${CONFIG.workflow}\``
        : `did you mean \`${near}\`?`,
  });
  return undefined;
}
