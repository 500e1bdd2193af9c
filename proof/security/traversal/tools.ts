/** Paths that lead out of the workspace, requested by an agent with the built-in tools of a conversation. */
import fs from 'node:fs';
import { must, mustEqual, shortened } from '../../must.ts';
import type { Point } from '../../suite.ts';
import { createFenced } from '../outside.ts';
import { mustRefuse, namesLeadingOut } from './leading-out.ts';

/** Files of the conversation itself, which tools must not change. */
const OWN_FILES = ['config/workflow.yaml', 'state/one.json', 'prompts/iteration_001.txt'];

interface ToolUse {
  readonly id: string;
  readonly [field: string]: unknown;
}

interface ToolResult {
  readonly tool_use_id: string;
  readonly status: string;
  readonly output: string;
}

function toolUse(id: string, name: string, input: object): ToolUse {
  return { type: 'tool_use', id, name, input };
}

/** Its id gives the kind: `r` reads, `w` writes, `l` lists, `s` searches, `o` writes a file of the conversation itself. */
function asksAt(place: string, number: number): readonly ToolUse[] {
  return [
    toolUse(`r${number}`, 'read_file', { path: `${place}/secret.txt` }),
    toolUse(`w${number}`, 'write_file', { path: `${place}/made.txt`, content: 'x' }),
    toolUse(`l${number}`, 'list_files', { glob: `${place}/**` }),
    toolUse(`s${number}`, 'search', { pattern: 'sentinel', glob: `${place}/*` }),
  ];
}

export function toolPoint(): Point {
  return {
    id: 'traversal/tools',
    async check(trial) {
      const fenced = createFenced(trial);
      const { site } = fenced;
      await site.ok(['converse', 'init', 'talk', '--template', 'mock']);
      const inside = namesLeadingOut({ ...fenced, way: `../${fenced.way}` }).filter((name) => name !== '.');
      site.write({ 'talk/real.txt': 'x' });
      fs.symlinkSync(fenced.outside, site.path('talk', 'way-out'));
      const content = [
        ...[...inside, 'way-out'].flatMap(asksAt),
        ...OWN_FILES.map((file, number) =>
          toolUse(`o${number}`, 'write_file', { path: file, content: 'spoilt' }),
        ),
      ];
      const done = { structured: { content: [{ type: 'text', text: 'done' }] } };
      const agent = {
        name: 'mock',
        script: { structured: { content }, cases: [{ prompt: 'r0', ...done }] },
      };
      const tools = ['read_file', 'write_file', 'list_files', 'search'].map((name) => ({
        name,
        builtin: name,
        parallel_safe: true,
      }));
      site.write({
        'talk/config/workflow.yaml': JSON.stringify({ task: 'Do it', agent, max_iterations: 3 }),
        'talk/config/tools.yaml': JSON.stringify({ tools }),
      });
      const config = site.read('talk/config/workflow.yaml');
      const ended = await site.run(['converse', 'run', 'talk', '--session', 'one', '--quiet']);
      mustRefuse(fenced, ended, ['converse', 'run', 'talk']);
      mustEqual(
        site.read('talk/config/workflow.yaml'),
        config,
        'talk/config/workflow.yaml, which tools must not change',
      );
      const { results } = JSON.parse(site.read('talk/state/tool_results.json')) as {
        readonly results: readonly ToolResult[];
      };
      mustEqual(
        results.map(({ tool_use_id }) => tool_use_id).join(' '),
        content.map(({ id }) => id).join(' '),
        'requests and results',
      );
      for (const { tool_use_id, status, output } of results) {
        if (/^[rwo]/.test(tool_use_id))
          must(status === 'error', () => ({
            expected: `${tool_use_id} to be refused`,
            found: `${status}: ${shortened(output)}`,
          }));
      }
    },
  };
}
