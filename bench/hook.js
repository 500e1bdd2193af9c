/** The time a hook adds to a tool call of an agent. */
import fs from 'node:fs';
import path from 'node:path';
import { interleaved, replaceMs, row, timed } from './measure.js';
import { inFolder, ORCHESTRATE } from './workspace.js';

const ASK_HOOK = path.join(path.dirname(ORCHESTRATE), '..', 'dist', 'ask-hook.cjs');
const PROMPT = 'Phase ID: phase_0';

export async function hook({ quick, node: program = process.execPath }) {
  return inFolder(async (folder) => {
    const [none, settled, phases] = ['none', 'settled', 'phases'].map((name) => path.join(folder, name));
    for (const workspace of [none, settled, phases]) fs.mkdirSync(workspace);
    const create = [ORCHESTRATE, 'phases', 'create', 'bench', '--phase', 'First', '--phase', 'Second'];
    for (const cwd of [settled, phases]) await timed([program, ...create], { cwd, isQuiet: true });
    const state = path.join(phases, '.claude', 'state');
    const made = ['workflow-history.jsonl', 'workflow.json'].map((name) => path.join(state, name));
    const texts = made.map((file) => fs.readFileSync(file));
    const session = { session_id: 's', transcript_path: writeTranscripts(folder) };
    const ended = JSON.stringify({
      ...{ ...session, hook_event_name: 'PostToolUse', tool_name: 'Agent', tool_use_id: 'toolu_1' },
      tool_input: { prompt: PROMPT },
      tool_response: { status: 'completed', agentId: 'a1', content: [{ type: 'text', text: 'DONE|a.txt' }] },
    });
    const stopped = JSON.stringify({ ...session, hook_event_name: 'Stop' });
    const node = (argv, cwd, input) => async () => {
      for (const [i, file] of made.entries()) putOnDisk(file, texts[i]);
      return (await timed([program, ...argv], { cwd, input })).ms;
    };
    const asked = JSON.stringify({
      ...{ ...session, hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_use_id: 'toolu_2', cwd: none },
      tool_input: { command: 'cd app && npm test && git status' },
    });
    const times = await interleaved(
      {
        bare: node(['-e', '0'], none, ended),
        none: node([ORCHESTRATE, 'hook', 'post-tool-use'], none, ended),
        unchanged: node([ORCHESTRATE, 'hook', 'stop'], settled, stopped),
        asks: node([ASK_HOOK, askRules(none)], none, asked),
        changed: node([ORCHESTRATE, 'hook', 'post-tool-use'], phases, ended),
        unsynced: async () =>
          (await node([ORCHESTRATE, 'hook', 'post-tool-use'], phases, ended)()) - replaceMs(state),
      },
      quick ? 15 : 100,
    );
    const { phases: reached } = JSON.parse(fs.readFileSync(made[1], 'utf8'));
    if (reached[0].status !== 'completed') throw new Error('the hook did not complete the phase');
    return [
      row('a hook where there is no workflow, x node -e 0', times.ratio('none', 'bare'), 1.25),
      row('a hook that changes nothing, x node -e 0', times.ratio('unchanged', 'bare'), 1.25),
      row('the hook of `ask` that lets a call run, x node -e 0', times.ratio('asks', 'bare'), 1.35),
      row('a hook that completes a phase, x node -e 0', times.ratio('changed', 'bare')),
      row('the same without the two syncs of the document', times.ratio('unsynced', 'bare'), 1.25),
    ];
  });
}

function askRules(root) {
  const rules = [
    { tools: ['Bash'], command: 'git push*', do: 'ask' },
    { tools: ['Write', 'Edit'], path: 'infra/**', do: 'ask' },
  ];
  return JSON.stringify({ rules, root, home: root, grants: [], marks: path.join(root, 'asks') });
}

/** Writes the transcripts of a session of 400 messages that has just called an agent, and of that agent. Returns the path of the first. */
function writeTranscripts(folder) {
  const now = Date.now();
  const at = (second) => new Date(now + second * 1000).toISOString();
  const assistant = (second, block) => ({
    ...{ type: 'assistant', timestamp: at(second), message: { role: 'assistant', content: [block] } },
  });
  const user = (second, content) => ({
    type: 'user',
    timestamp: at(second),
    message: { role: 'user', content },
  });
  const lines = Array.from({ length: 200 }, (_, i) => [
    assistant(2 * i, {
      type: 'tool_use',
      id: `toolu_b${i}`,
      name: 'Bash',
      input: { command: 'x'.repeat(100) },
    }),
    user(2 * i + 1, [{ type: 'tool_result', tool_use_id: `toolu_b${i}`, content: 'y'.repeat(600) }]),
  ]).flat();
  const call = { type: 'tool_use', id: 'toolu_1', name: 'Agent', input: { prompt: PROMPT } };
  writeLines(path.join(folder, 's.jsonl'), [...lines, assistant(500, call)]);
  const agent = path.join(folder, 's', 'subagents', 'agent-a1.jsonl');
  writeLines(agent, [user(501, PROMPT), assistant(502, { type: 'text', text: 'DONE|a.txt' })]);
  return path.join(folder, 's.jsonl');
}

function writeLines(file, lines) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** Writes and syncs a file, so that this write is not measured as part of the hook. */
function putOnDisk(file, text) {
  fs.writeFileSync(file, text, { flush: true });
  const folder = fs.openSync(path.dirname(file), 'r');
  fs.fsyncSync(folder);
  fs.closeSync(folder);
}
