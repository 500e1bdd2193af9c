/** `/w/:ws/runs/…`: one run, from its files. */
import { readTranscript } from '../../host/logs/transcript.ts';
import { reportApart } from '../../host/reports/report-apart.ts';
import { defined } from '../../model/defined.ts';
import type { RunId } from '../../model/ids.ts';
import { findInLog } from '../../operations/live/find-in-log.ts';
import { flowOf } from '../../operations/live/flow.ts';
import type { LiveRun } from '../../operations/live/live-run.ts';
import { summarize } from '../../operations/live/run-summary.ts';
import { logsOf, readStep } from '../../operations/live/step-detail.ts';
import { readStepDiffs, readStepFiles } from '../../operations/live/step-files.ts';
import { findSteps, type StepsAsked } from '../../operations/live/step-row.ts';
import { timelineOf } from '../../operations/live/timeline.ts';
import { explainLive } from '../../operations/live/why.ts';
import type { LogKind } from '../../operations/runs/log-files.ts';
import { logSize, readLog } from '../../operations/runs/read-log.ts';
import { shownQuestion } from '../../operations/runs/read-question.ts';
import { type Answer, json, notFound, problem } from '../requests/answer.ts';
import { numberIn, textIn } from '../requests/request.ts';
import type { Served } from '../requests/served.ts';

const MOST_ROWS = 1000;
const WINDOW_BYTES = 64 * 1024;
const LARGEST_WINDOW = 1 << 20;
const TRANSCRIPT_BYTES = 256 * 1024;
const MOST_SPANS = 4000;

/** `parts` are those after `/runs`. */
export async function answerRun(
  served: Served,
  [runId = '', what, key, aspect, extra]: readonly string[],
  query: URLSearchParams,
): Promise<Answer> {
  const run = await served.runs.open(runId);
  if (run === undefined) return notFound('run');
  if (key !== undefined && what === 'steps') return answerStep(run, [key, aspect, extra], query);
  if (key !== undefined && what === 'questions') return answerQuestion(run, key);
  switch (what) {
    case undefined:
      return json(runData(run));
    case 'steps':
      return answerSteps(run, query);
    case 'flow':
      return json(flowOf(run));
    case 'timeline':
      return json(
        timelineOf(run, {
          most: numberIn(query, 'px', { or: 600, max: MOST_SPANS }),
          now: Date.now(),
          ...defined({ from: timeIn(query, 'from'), to: timeIn(query, 'to') }),
        }),
      );
    case 'why':
      return json(await explainLive(run));
    case 'report.html':
      return answerReport(served, run.runId);
    default:
      return notFound('address');
  }
}

export function runData(run: LiveRun): object {
  const { state, index, damage } = run;
  return {
    summary: summarize(run, Date.now()),
    ...(state === undefined ? {} : { state: withoutTree(state) }),
    ...(damage === undefined ? {} : { damage: { message: damage.message, line: damage.line } }),
    rows: index.rows.length,
    seq: index.seq,
    generation: run.generation,
  };
}

/** The tree is asked for in rows. */
function withoutTree({ steps: _steps, for_each: _loops, ...state }: NonNullable<LiveRun['state']>): object {
  return state;
}

function answerSteps(run: LiveRun, query: URLSearchParams): Answer {
  const sort = textIn(query, 'sort');
  const asked: StepsAsked = {
    parent: textIn(query, 'parent'),
    sort: sort === 'slowest' || sort === 'dearest' ? sort : 'order',
    q: textIn(query, 'q'),
    from: numberIn(query, 'from', { or: 0, max: Number.MAX_SAFE_INTEGER }),
    limit: numberIn(query, 'limit', { or: 200, max: MOST_ROWS }),
  };
  const found = findSteps(run, asked);
  return found === undefined ? notFound('step') : json({ ...found, generation: run.generation });
}

/** What a person sees before answering an open question. */
function answerQuestion(run: LiveRun, key: string): Answer {
  const waiting = run.state?.waiting_for ?? {};
  const open = Object.hasOwn(waiting, key) ? waiting[key] : undefined;
  return open === undefined ? notFound('question') : json(shownQuestion(open, run.paths.directory));
}

async function answerStep(
  run: LiveRun,
  [key = '', aspect, extra]: readonly (string | undefined)[],
  query: URLSearchParams,
): Promise<Answer> {
  // S8: only keys that the journal has.
  const row = run.index.row(key);
  if (row === undefined) return notFound('step');
  const number = numberIn(query, 'try', { or: 0, max: 10_000 });
  const fileOf = (kind: LogKind): string | undefined => {
    const files = logsOf(run, row, kind);
    return (number === 0 ? files.at(-1) : files[number - 1])?.path;
  };
  const stream = query.get('stream') === 'stderr' ? 'stderr' : 'stdout';
  switch (aspect) {
    case undefined:
      return json(readStep(run, row));
    case 'why': {
      const all = await explainLive(run);
      return json(all.find((each) => each.key === row.key) ?? { key: row.key, reasons: [] });
    }
    case 'log': {
      const file = fileOf(stream);
      if (file === undefined) return notFound('log');
      return extra === 'search' ? answerSearch(file, query) : answerBytes(file, query);
    }
    case 'prompt':
    case 'response': {
      const file = fileOf(aspect);
      return file === undefined ? notFound(aspect) : answerBytes(file, query);
    }
    case 'files':
      return json(await readStepFiles(run, row));
    case 'diff': {
      const diffs = await readStepDiffs(run, row);
      return diffs.length === 0 ? notFound('diff') : json({ diffs });
    }
    case 'transcript': {
      const file = fileOf('stdout');
      if (file === undefined || row.adapter === undefined) return notFound('transcript');
      return answerTranscript(file, row.adapter, query);
    }
    default:
      return notFound('address');
  }
}

/** Milliseconds since 1970. */
function timeIn(query: URLSearchParams, name: string): number | undefined {
  const at = numberIn(query, name, { or: -1, max: Number.MAX_SAFE_INTEGER });
  return at < 0 ? undefined : at;
}

/** A part of a file as text. `from=-1` is the last part. */
function answerBytes(file: string, query: URLSearchParams): Answer {
  const size = logSize(file);
  const bytes = numberIn(query, 'bytes', { or: WINDOW_BYTES, max: LARGEST_WINDOW });
  const from =
    query.get('from') === '-1'
      ? Math.max(0, size - bytes)
      : numberIn(query, 'from', { or: 0, max: Number.MAX_SAFE_INTEGER });
  const pieces: Buffer[] = [];
  try {
    for (const piece of readLog(file, { from, to: Math.min(size, from + bytes) }))
      pieces.push(Buffer.from(piece));
  } catch {
    // S8: a link or a pipe in the place of a log.
    return notFound('readable-log');
  }
  return {
    type: 'bytes',
    body: Buffer.concat(pieces),
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-size': size, 'x-from': from },
  };
}

function answerTranscript(file: string, adapter: string, query: URLSearchParams): Answer {
  const from = numberIn(query, 'from', { or: 0, max: Number.MAX_SAFE_INTEGER });
  try {
    const read = readTranscript(file, { adapter, from, bytes: TRANSCRIPT_BYTES });
    return read === undefined ? notFound('transcript') : json(read);
  } catch {
    // S8: a link or a pipe in the place of a log.
    return notFound('readable-log');
  }
}

async function answerSearch(file: string, query: URLSearchParams): Promise<Answer> {
  const q = query.get('q') ?? '';
  if (q === '') return problem({ type: 'nothing-to-search-for' });
  try {
    const from = numberIn(query, 'from', { or: 0, max: Number.MAX_SAFE_INTEGER });
    return json(await findInLog(file, { q, from }));
  } catch {
    return notFound('readable-log');
  }
}

async function answerReport(served: Served, runId: RunId): Promise<Answer> {
  const report = await reportApart(runId, served);
  if (report.type === 'error') return problem(report.error);
  return {
    type: 'bytes',
    body: report.value,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-disposition': `attachment; filename="${runId}.html"`,
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    },
  };
}
