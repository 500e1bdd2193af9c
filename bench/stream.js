/** Reading an agent's stream from a pipe, compared with JSON.parse of complete lines and with the `ndjson` package. */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { interleaved, row } from './measure.js';
import { BENCH_MODULES, inFolder, ROOT } from './workspace.js';

const PIPE_CHUNK = 64 * 1024;

export async function stream({ quick }) {
  return inFolder(async (folder) => {
    const reader = await load(folder);
    const bytes = (quick ? 32 : 128) * 1024 * 1024;
    return [
      ...(await compare(reader, {
        lines: session(bytes),
        rounds: quick ? 3 : 5,
        what: 'events of a stream',
      })),
      ...(await compare(reader, {
        lines: session(bytes / 4, { onlyShort: true }),
        rounds: quick ? 3 : 5,
        what: 'events of a stream of short lines',
      })),
    ];
  });
}

async function compare({ createEventStream, createClaudeReader }, { lines, rounds, what, ndjsonLimit }) {
  const chunks = cut(Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])));
  const read = (wholeToolResults) => () =>
    measure(() => {
      const events = createEventStream(createClaudeReader(), { wholeToolResults });
      let seen = 0;
      for (const chunk of chunks) seen += events.push(chunk).length;
      seen += events.end().length;
      if (seen !== lines.length) throw new Error(`${seen} events of ${lines.length}`);
    });
  const contestants = {
    parse: () =>
      measure(() => {
        for (const line of lines) JSON.parse(line.toString());
      }),
    ours: read(false),
    whole: read(true),
    ...ndjson(chunks, lines.length),
  };
  for (const run of Object.values(contestants)) await run();
  const times = await interleaved(contestants, rounds);
  const rows = [
    row(`${what}, x toString + JSON.parse of its ready lines`, times.ratio('ours', 'parse'), 1.43),
    row(`${what}, all tool results read whole, x the same`, times.ratio('whole', 'parse')),
  ];
  if (!times.has('ndjson')) return rows;
  return [...rows, row(`${what}, x the \`ndjson\` package`, times.ratio('ours', 'ndjson'), ndjsonLimit)];
}

async function load(folder) {
  const outfile = path.join(folder, 'reader.mjs');
  await build({
    stdin: {
      contents: `export { createEventStream } from './src/agents/read-events.ts';
        export { createClaudeReader } from './src/agents/adapters/claude-events.ts';`,
      resolveDir: ROOT,
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
  });
  return import(pathToFileURL(outfile).href);
}

function ndjson(chunks, count) {
  if (!fs.existsSync(path.join(BENCH_MODULES, 'ndjson'))) return {};
  const { parse } = createRequire(path.join(BENCH_MODULES, 'x.js'))('ndjson');
  return {
    ndjson: () =>
      measure(
        () =>
          new Promise((resolve, reject) => {
            let seen = 0;
            Readable.from(chunks)
              .pipe(parse({ strict: false }))
              .on('data', () => {
                seen += 1;
              })
              .on('error', reject)
              .on('end', () =>
                seen === count ? resolve() : reject(new Error(`${seen} events of ${count}`)),
              );
          }),
      ),
  };
}

async function measure(work) {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

/**
 * The output of a working agent: text, tool calls, and tool results, most of them short and a few very large. One event per line. Always
 * the same.
 */
function session(bytes, { onlyShort = false } = {}) {
  const lines = [];
  let random = 42;
  const next = (limit) => {
    random = (random * 1103515245 + 12345) % 2147483648;
    return random % limit;
  };
  for (let size = 0, i = 0; size < bytes; i += 1) {
    const id = `toolu_${i}`;
    const length = onlyShort ? next(300) : next(10) === 0 ? 30_000 + next(90_000) : next(4000);
    const made = [
      message('assistant', { type: 'text', text: words(50 + next(400), next) }),
      message('assistant', {
        type: 'tool_use',
        id,
        name: 'Read',
        input: { file_path: `/repo/src/file-${i}.ts` },
      }),
      message('user', { tool_use_id: id, type: 'tool_result', content: words(length, next) }),
    ];
    for (const line of made) {
      lines.push(line);
      size += line.length;
    }
  }
  return lines;
}

function message(type, block) {
  const text = type === 'user' ? { tool_use_result: { type: 'text', file: { content: block.content } } } : {};
  return Buffer.from(
    JSON.stringify({
      type,
      message: { id: 'msg_1', role: type, content: [block], usage: { input_tokens: 100, output_tokens: 20 } },
      parent_tool_use_id: null,
      session_id: '11111111-1111-4111-8111-111111111111',
      uuid: '22222222-2222-4222-8222-222222222222',
      ...text,
    }),
  );
}

const WORDS = [
  'const',
  'value = "x"',
  'return',
  '// – ünï',
  '\n',
  '\t',
  'function',
  '{ a: 1 }',
  'await',
  'the',
];

function words(length, next) {
  let text = '';
  while (text.length < length) text += `${WORDS[next(WORDS.length)]} `;
  return text;
}

/** Chunks as a pipe would deliver them: copies, so that no chunk shares memory with the whole. */
function cut(bytes) {
  const chunks = [];
  for (let at = 0; at < bytes.length; at += PIPE_CHUNK) {
    chunks.push(Buffer.from(bytes.subarray(at, at + PIPE_CHUNK)));
  }
  return chunks;
}
