// A small MCP server on standard input and output, with one tool: it notes how it was called and with which environment.
import fs from 'node:fs';
import { createInterface } from 'node:readline';

const [, , notes] = process.argv;

const TOOL = {
  name: 'shout',
  description: 'Writes a word in capital letters.',
  inputSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
};

function resultOf({ method, params }) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'kit', version: '1.0.0' },
      };
    case 'tools/list':
      return { tools: [TOOL] };
    case 'tools/call': {
      const { KIT_TOKEN: token, KIT_LEVEL: level } = process.env;
      fs.appendFileSync(notes, `${JSON.stringify({ word: params.arguments.word, token, level })}\n`);
      return { content: [{ type: 'text', text: params.arguments.word.toUpperCase() }] };
    }
    default:
      return {};
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line);
  if (request.id === undefined) return;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, result: resultOf(request) })}\n`);
});
