/** What a hook adds to a tool call of an agent. */
import fs from 'node:fs';
import path from 'node:path';
import { interleaved, row, timed } from './measure.js';
import { inFolder, ORCHESTRATE } from './workspace.js';

const EVENT = JSON.stringify({
  ...{ hook_event_name: 'PostToolUse', tool_name: 'Agent', tool_use_id: 'toolu_1', session_id: 's' },
  tool_input: { prompt: 'Phase ID: phase_0' },
  tool_response: { status: 'completed', agentId: 'a1', content: [{ type: 'text', text: 'DONE|a.txt' }] },
});
const DOCUMENT = JSON.stringify({
  ...{ id: 'wf_20260101_000000', task: 'bench', status: 'pending', current_phase: null },
  phases: ['First', 'Second'].map((title, i) => ({ id: `phase_${i}`, title, agent: '', status: 'pending' })),
});

export async function hook({ quick }) {
  return inFolder(async (folder) => {
    const [none, settled, phases] = ['none', 'settled', 'phases'].map((name) => path.join(folder, name));
    const files = [settled, phases].map((folder) => path.join(folder, '.claude', 'state', 'workflow.json'));
    fs.mkdirSync(none);
    for (const file of files) fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(files[0], DOCUMENT);
    const node = (argv, cwd, input) => async () => {
      putOnDisk(files[1], DOCUMENT);
      return (await timed([process.execPath, ...argv], { cwd, input })).ms;
    };
    const times = await interleaved(
      {
        bare: node(['-e', '0'], none, EVENT),
        none: node([ORCHESTRATE, 'hook', 'post-tool-use'], none, EVENT),
        unchanged: node([ORCHESTRATE, 'hook', 'stop'], settled, '{"hook_event_name":"Stop"}'),
        changed: node([ORCHESTRATE, 'hook', 'post-tool-use'], phases, EVENT),
      },
      quick ? 15 : 40,
    );
    return [
      row('a hook where there is no workflow, x node -e 0', times.none / times.bare, 1.25),
      row('a hook that changes nothing, x node -e 0', times.unchanged / times.bare, 1.25),
      row('a hook that completes a phase, x node -e 0', times.changed / times.bare, 1.25),
    ];
  });
}

/** As the program leaves it: what a hook is measured with is its own writing, not this one. */
function putOnDisk(file, text) {
  fs.writeFileSync(file, text, { flush: true });
  const folder = fs.openSync(path.dirname(file), 'r');
  fs.fsyncSync(folder);
  fs.closeSync(folder);
}
