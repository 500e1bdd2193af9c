import fs from 'node:fs';
import { ADAPTERS } from '../../agents/adapters/all.ts';
import type { EffectContext } from '../../engine/durable.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import type { JsonObject } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { traceParent } from '../../model/trace-ids.ts';
import {
  childEnvironment,
  type Environment,
  runMark,
  secretValues,
  valuesToMask,
} from '../../process/environment.ts';
import { maskText } from '../../process/mask.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { type AgentCallFiles, type RunPaths, runPathsIn } from '../../store/layout.ts';
import { fileFailure, resolveInside } from '../../store/safe-path.ts';
import type { RunAgentInput } from '../contracts.ts';
import type { AgentInputHere } from '../site-paths.ts';
import { workingFolder } from '../working-folder.ts';
import { keepPrompt } from './call-files.ts';
import { composePrompt } from './compose-prompt.ts';
import { findInterrupted, promptDigest } from './conversation.ts';

/** Everything about a call that is decided before anything starts. */
export interface PreparedCall {
  readonly prompt: string;
  /** The form that may be written to files. */
  readonly maskedPrompt: string;
  readonly digest: string;
  readonly injection?: JsonObject;
  /** The step's environment, without the additions of the agent's adapter. */
  readonly env: Environment;
  readonly mask: readonly string[];
  readonly cwd: string;
  readonly paths: RunPaths;
  readonly files: AgentCallFiles;
  readonly toolFiles: ToolFiles;
  /** The conversation in which an earlier attempt was interrupted. */
  readonly interrupted?: string;
}

export interface PrepareOptions {
  readonly base: { readonly [name: string]: string | undefined };
  /** Values to mask besides the step's own. */
  readonly secrets: readonly string[];
  /** An agent is started, which needs the step's secrets. A recording does not. */
  readonly needsSecrets: boolean;
  readonly mayContinue: boolean;
  /** Identifies the agent of a conversation. */
  readonly agent: string;
}

export function prepareCall(
  input: AgentInputHere,
  context: EffectContext,
  options: PrepareOptions,
): Result<PreparedCall, Failure> {
  const { workspace, directory, runId } = context.run;
  const env = childEnvironment({
    base: options.base,
    add: {
      ...traceParent(options.base, { runId, key: context.key, attempt: context.attempt }),
      ...input.env,
    },
    runId,
    runMark: runMark(context.run),
    key: context.key,
  });
  const declared = input.secrets ?? [];
  const secrets = options.needsSecrets ? secretValues(env, declared) : ok(valuesToMask(env, declared));
  if (secrets.type === 'error') return secrets;
  const mask = [...options.secrets, ...secrets.value];
  const cwd = workingFolder(input.root ?? workspace, input.cwd ?? '.');
  if (cwd.type === 'error') return cwd;
  const composed = composePrompt(input, workspace);
  if (composed.type === 'error') return composed;
  const { text: prompt, injection } = composed.value;
  const maskedPrompt = maskText(prompt, mask);
  const digest = promptDigest(prompt);
  const paths = runPathsIn(directory);
  let interrupted: string | undefined;
  try {
    if (options.mayContinue)
      interrupted = findInterrupted(paths, context, { agent: options.agent, promptDigest: digest });
  } catch (cause) {
    return error(fileFailure('read', 'prompts', cause));
  }
  try {
    const files = keepPrompt(paths, context, maskedPrompt);
    // If this attempt were interrupted, the response of an earlier one would be taken for its own.
    fs.rmSync(files.response, { force: true });
    if (input.jsonSchema !== undefined) {
      replaceFile(files.schema, JSON.stringify(input.jsonSchema));
    }
    const toolFiles = keepToolFiles(input, workspace, files);
    if (toolFiles.type === 'error') return toolFiles;
    return ok({
      ...{
        prompt,
        maskedPrompt,
        digest,
        env,
        mask,
        cwd: cwd.value,
        paths,
        files,
        toolFiles: toolFiles.value,
      },
      ...defined({ injection, interrupted }),
    });
  } catch (cause) {
    return error(fileFailure('write', 'prompts', cause));
  }
}

export interface ToolFiles {
  readonly policyFile?: string;
  readonly mcpFile?: string;
}

/** Writes what the CLI reads about tools from files. They contain names of secrets, never values. */
function keepToolFiles(
  { agent, tools, toolsOff }: RunAgentInput,
  workspace: string,
  files: AgentCallFiles,
): Result<ToolFiles, Failure> {
  if (agent.type !== 'builtin') return ok({});
  const adapter = ADAPTERS[agent.adapter];
  const policy = adapter.policy?.({ ...defined({ toolsOff, tools }) });
  if (policy !== undefined) replaceFile(files.policy, policy);
  const written = policy === undefined ? {} : { policyFile: files.policy };
  if (tools?.mcp === undefined) return ok(written);
  if (tools.mcp.type === 'file') {
    const found = resolveInside(workspace, tools.mcp.path);
    return found.type === 'error' ? found : ok({ ...written, mcpFile: found.value });
  }
  const config = adapter.mcpConfig?.(tools.mcp.servers);
  if (config === undefined) return ok(written);
  replaceFile(files.mcp, config);
  return ok({ ...written, mcpFile: files.mcp });
}
