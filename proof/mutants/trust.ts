/** Whose settings these are, secrets of workers, and outcomes that are not true: each mechanism left out once; the named test must notice it. */
import type { Mutant } from './mutant.ts';

const REAL_CLAUDE = 'test/real-clis/claude-2.1.325.test.ts';

export const TRUST_MUTANTS: readonly Mutant[] = [
  {
    name: 'project-chooses',
    title: 'settings of a project run programs without being asked about',
    file: 'src/operations/loops/site/trust-settings.ts',
    text: '[...claimsOf(config, site.workspace), ...agentClaims(site, known)]',
    replacement: 'agentClaims(site, known)',
    tests: [
      {
        file: 'test/iterate/trust.test.ts',
        title: 'starts nothing before the user agrees, and shows the settings and their files',
      },
    ],
  },
  {
    name: 'archive-chooses',
    title: 'an archive restores programs, arguments and addresses',
    file: 'src/iterate/config/claims.ts',
    text: '  for (const key of PROGRAMS) {',
    replacement: '  for (const key of FOLDERS) {',
    tests: [{ file: 'test/iterate/trust.test.ts', title: 'restores no program, argument or address' }],
  },
  {
    name: 'tasks-choose',
    title: 'commands of tasks are executed without being asked about',
    file: 'src/operations/sessions/trust-tasks.ts',
    text: 'return mayRun(site, site.workspace, claimsOf(open, paths));',
    replacement: 'return mayRun(site, site.workspace, claimsOf(open.slice(open.length), paths));',
    tests: [{ file: 'test/cli/trust.test.ts', title: 'written by another user are not executed without' }],
  },
  {
    name: 'agents-settings-unasked',
    title: 'an agent is started in a folder with hooks and servers of others',
    file: 'src/operations/trust/settings-files.ts',
    text: '    ...files.flatMap(',
    replacement: '    ...files.slice(files.length).flatMap(',
    tests: [
      {
        file: 'test/cli/trust.test.ts',
        title: 'need consent before an agent that would run them is started',
      },
    ],
  },
  {
    name: 'agents-variables-unasked',
    title: 'a file of variables in a clone chooses where an agent sends its prompts',
    file: 'src/operations/trust/settings-files.ts',
    text: '    ...variables.flatMap(',
    replacement: '    ...variables.slice(variables.length).flatMap(',
    tests: [{ file: 'test/cli/trust.test.ts', title: 'need consent for qwen: .env' }],
  },
  {
    name: 'plug-ins-unasked',
    title: 'opencode loads the plug-ins of a clone',
    file: 'src/operations/trust/settings-files.ts',
    text: '    ...folders.flatMap(',
    replacement: '    ...folders.slice(folders.length).flatMap(',
    tests: [{ file: 'test/cli/trust.test.ts', title: 'need consent for opencode: .opencode/plugin/x.js' }],
  },
  {
    name: 'imports-unasked',
    title: 'the keeper loads code whose imports have changed since it was trusted',
    file: 'src/operations/schedules/trusted-workflows.ts',
    text: '[file, ...(isModuleFile(file) ? importedFiles(workspace, file) : [])]);',
    replacement: '[file, ...(isModuleFile(file) ? importedFiles(workspace, file).slice(0, 0) : [])]);',
    tests: [
      {
        file: 'test/keeper/code-schedules.test.ts',
        title: 'is not trusted after a change of what it imports',
      },
    ],
  },
  {
    name: 'plug-ins-in-conversations',
    title: 'a conversation starts the plug-ins of a clone',
    file: 'src/operations/conversations/agent-trust.ts',
    text: "choice.adapter === 'claude') return [];",
    replacement: "choice.adapter !== 'mock') return [];",
    tests: [{ file: 'test/cli/trust.test.ts', title: 'starts no plug-in of the folder without asking' }],
  },
  {
    name: 'last-value-decides',
    title: 'of two settings with the same name, only the last one has to be trusted',
    file: 'src/store/trust.ts',
    text: 'values.set(name, before === undefined ? text :',
    replacement: "values.set(name, before !== '' ? text :",
    tests: [{ file: 'test/cli/trust.test.ts', title: 'cannot hide behind another one of the same name' }],
  },
  {
    name: 'own-tools-left-on',
    title: "in a conversation, Claude Code's own tools stay on",
    file: 'src/agents/adapters/claude.ts',
    text: 'if (request.toolsOff === true) argv.push(...TOOLS_OFF);',
    replacement: 'if (request.toolsOff === true) argv.push(...TOOLS_OFF.slice(2));',
    tests: [{ file: 'test/converse/own-tools.test.ts', title: 'tries its own tool, which is not run' }],
  },
  {
    name: 'names-of-members-shown',
    title: 'a secret as the name of a member of an object is not masked',
    file: 'src/process/redact.ts',
    text: 'const name = isOfUser ? maskText(key, secrets) : key;',
    replacement: 'const name = key;',
    tests: [{ file: 'test/code/calls.test.ts', title: 'keeps secrets out of every file' }],
  },
  {
    name: 'declared-secrets',
    title: 'secrets that a step declares are masked only if their names give them away',
    file: 'src/process/environment.ts',
    text: "if (declared.includes(name) && value !== '') values.add(value);",
    replacement: "if (declared.includes(name) && value === '') values.add(value);",
    tests: [{ file: 'test/cluster/secrets.test.ts', title: 'is in no ' }],
  },
  {
    name: 'unfinished-is-done',
    title: 'an end that a hook or a deferred tool caused is a success',
    file: 'src/agents/classify.ts',
    text: '  if (result.unfinished !== undefined) return judgeUnfinished(result.unfinished);\n',
    replacement: '',
    tests: [{ file: REAL_CLAUDE, title: 'and nothing runs after it' }],
  },
  {
    name: 'denied-is-done',
    title: 'an agent whose tools were denied is done without a check',
    file: 'src/agents/classify.ts',
    text: '  if (summary.refused.length > 0) {',
    replacement: '  if (summary.refused.length < 0) {',
    tests: [{ file: REAL_CLAUDE, title: 'a denied tool is only a warning if all checks pass' }],
  },
  {
    name: 'reset-time-ignored',
    title: 'the time at which a limit ends is ignored',
    file: 'src/agents/classify.ts',
    text: 'const resetsAt = summary.resetsAt ?? summary.result?.resetsAt;',
    replacement: 'const resetsAt = summary.result?.errors?.[0];',
    tests: [{ file: REAL_CLAUDE, title: 'a usage limit with its reset time is waited for' }],
  },
];
