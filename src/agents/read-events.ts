/**
 * Turns the byte stream of an agent CLI into events. Unknown input, such as prose between the lines, truncated JSON or events of a newer
 * version, becomes `unrecognised` and never hides what follows.
 */
import type { AgentEvent } from '../model/agent.ts';
import { isJsonObject, MAX_ANSWER_DEPTH, parseJson } from '../model/json.ts';
import type { EventReader } from './adapter.ts';
import { createLineSplitter, LONGEST_LINE, type OverlongLine } from './split-lines.ts';

export interface EventStream {
  push(chunk: Buffer): readonly AgentEvent[];
  end(): readonly AgentEvent[];
}

export interface EventStreamOptions {
  /** Also parses the contents of large tool results. By default they are recognised from a few bytes. */
  readonly wholeToolResults?: boolean;
  readonly longestLine?: number;
}

/** Below this size, parsing is faster than searching. */
const LARGE_LINE = 4096;
const OPENING_BRACE = 0x7b;
const OPENING_BRACKET = 0x5b;
const SPACE = 0x20;

export function createEventStream(reader: EventReader, options: EventStreamOptions = {}): EventStream {
  let events: AgentEvent[] = [];
  const splitter = createLineSplitter(
    {
      line(buffer, start, end) {
        let first = start;
        while (first < end && (buffer[first] ?? 0) <= SPACE) first += 1;
        if (first === end) return;
        if (buffer[first] !== OPENING_BRACE && buffer[first] !== OPENING_BRACKET) {
          events.push({ type: 'unrecognised', name: 'text' });
          return;
        }
        if (options.wholeToolResults !== true && end - start > LARGE_LINE) {
          const skimmed = reader.skim(buffer.subarray(start, end));
          if (skimmed !== undefined) {
            events.push(skimmed);
            return;
          }
        }
        readLine(buffer.toString('utf8', first, end));
      },
      overlong: (line) => events.push(readOverlong(line)),
    },
    options.longestLine ?? LONGEST_LINE,
  );

  function readLine(text: string): void {
    let value: unknown;
    try {
      value = parseJson(text, MAX_ANSWER_DEPTH);
    } catch (cause) {
      if (cause instanceof RangeError) events.push(unreadable(text.includes(RESULT_TYPE), cause.message));
      else events.push({ type: 'unrecognised', name: 'text' });
      return;
    }
    // `--output-format json` of some CLIs prints its events as one array.
    for (const line of Array.isArray(value) ? value : [value]) {
      if (isJsonObject(line)) for (const event of reader.read(line)) events.push(event);
    }
  }

  function take(): readonly AgentEvent[] {
    const taken = events;
    events = [];
    return taken;
  }

  return {
    push(chunk) {
      splitter.push(chunk);
      return take();
    },
    end() {
      splitter.end();
      return take();
    },
  };
}

const RESULT_TYPE = '"type":"result"';

function readOverlong(line: OverlongLine): AgentEvent {
  const isResult = line.head.includes(RESULT_TYPE) || line.tail.includes(RESULT_TYPE);
  return unreadable(isResult, `${line.bytes} bytes long`);
}

/** An unreadable result is reported, not ignored: the call has ended without a usable answer. */
function unreadable(isResult: boolean, why: string): AgentEvent {
  if (!isResult) return { type: 'unrecognised', name: 'overlong' };
  const message = `its result is ${why}, which is too large to read`;
  return {
    type: 'result',
    result: { isError: true, subtype: 'overlong', text: '', errors: [message], costUsd: null },
  };
}
