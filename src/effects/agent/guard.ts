/** What checks the tool calls of an agent call with `ask`: a hook that the agent starts, or the same rules for one without a process. */
import fs from 'node:fs';
import { join } from 'node:path';
import type { MockCall } from '../../agents/mock.ts';
import type { AgentSummary } from '../../agents/summary.ts';
import type { AgentDenial } from '../../model/agent.ts';
import { defined } from '../../model/defined.ts';
import { isJsonObject } from '../../model/json.ts';
import type { Asks } from '../../model/record.ts';
import { makeOneFolder } from '../../store/make-folder.ts';
import { singleQuoted } from '../../template/quote.ts';
import { answerCall } from '../ask/answer-call.ts';
import { type Answered, questionsAfter } from '../ask/asked-calls.ts';
import { callDigest, type HookRules } from '../ask/contract.ts';
import { decide } from '../ask/decide.ts';
import type { RunAgentInput } from '../contracts.ts';
import { worktreeOf } from '../sandbox.ts';
import type { AgentCallResult } from './output.ts';
import type { PreparedCall } from './prepare.ts';

export interface Guard {
  /** For the hooks of the agent. */
  readonly command: string;
  readonly check: NonNullable<MockCall['check']>;
  /** Tools that were refused and have not succeeded since, with those of calls that the agent has lost. */
  refused(summary: AgentSummary): readonly string[];
  /** Who refused, if all of it was refused by the rules or by a person. */
  refusalOf(summary: AgentSummary): 'ask-rule' | 'person' | undefined;
  /** The questions with which the agent stopped, if it did. */
  questions(called: AgentCallResult, workedMs: number): Asks | undefined;
}

export interface Guarded {
  readonly input: RunAgentInput;
  readonly prepared: PreparedCall;
  /** The folder that the run has as its workspace. */
  readonly workspace: string;
  /** The answers of a conversation that is continued. */
  readonly answered: Answered | undefined;
  /** The hook's program. */
  readonly hook: string;
}

/** Undefined without rules, or if the agent has no tools. Disk errors are thrown. */
export function createGuard({ input, prepared, workspace, answered, hook }: Guarded): Guard | undefined {
  const { ask } = input;
  if (ask === undefined || ask.length === 0 || input.toolsOff === true) return undefined;
  const { asks } = prepared.paths;
  makeOneFolder(asks, 0o700);
  const rules: HookRules = {
    rules: ask,
    root: worktreeOf(prepared.paths, prepared.cwd) ?? input.root ?? workspace,
    ...defined({ home: prepared.env['HOME'] }),
    grants: answered?.grants ?? [],
    marks: asks,
  };
  const { root, home, grants } = rules;
  const isUsed = (name: string): boolean => fs.existsSync(join(asks, name));
  return {
    command: [process.execPath, hook, JSON.stringify(rules)].map(singleQuoted).join(' '),
    check(call) {
      const { type } = answerCall(rules, { ...call, cwd: prepared.cwd, isSubagent: false });
      return type === 'defer' ? 'ask' : type === 'deny' ? 'deny' : 'run';
    },
    refused({ refused, succeeded }) {
      const lost = (answered?.deniedTools ?? []).filter((tool) => !succeeded.includes(tool));
      return [...new Set([...refused, ...lost])];
    },
    refusalOf({ result, refused }) {
      const denials = (result?.denials ?? []).filter(({ tool }) => refused.includes(tool));
      const causes = denials.map((denial) => causeOf(denial, rules, prepared.cwd));
      const lost = (answered?.deniedTools ?? []).filter((tool) => refused.includes(tool));
      const all = [...causes, ...lost.map(() => 'person' as const)];
      if (all.includes(undefined)) return undefined;
      return all.includes('person') ? 'person' : all[0];
    },
    questions: ({ summary }, workedMs) =>
      questionsAfter({
        ...{ summary, rules: ask, isUsed, before: grants.length === 0 ? undefined : answered, workedMs },
        place: { root, cwd: prepared.cwd, ...defined({ home }) },
        costUsd: summary.result?.costUsd ?? 0,
      }),
  };
}

/** A call that a subagent could not ask about was refused by the rule. */
function causeOf(
  { tool, toolUseId, input }: AgentDenial,
  { rules, grants, root, home }: HookRules,
  cwd: string,
): 'ask-rule' | 'person' | undefined {
  if (grants.findLast(({ id }) => id === toolUseId)?.choice === 'deny') return 'person';
  const call = { tool, input: isJsonObject(input) ? input : {} };
  if (grants.some(({ digest, choice }) => choice === 'deny' && digest === callDigest(call))) return 'person';
  const decision = decide(rules, call, { root, cwd, ...defined({ home }) });
  return decision === 'deny' || decision === 'ask' ? 'ask-rule' : undefined;
}
