/** A log by its bytes: the range stands for the file, so that a log of a gigabyte opens at once. Follows its end while it grows. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { getJson, getText, type TextPart } from '../api.ts';
import { useLive } from '../use-data.ts';

const WINDOW = 64 * 1024;

export function LogView(props: {
  readonly at: string;
  readonly query?: string;
  readonly topic?: string;
  readonly canSearch?: boolean;
}) {
  const { at, query = '', topic } = props;
  const [part, setPart] = useState<TextPart | undefined>();
  const [problem, setProblem] = useState('');
  const [isFollowing, setFollowing] = useState(props.canSearch === true);
  const [q, setQ] = useState('');
  const [found, setFound] = useState<readonly number[] | undefined>();
  const [hit, setHit] = useState(0);
  const place = useRef<HTMLDivElement>(null);
  /** Counts what was asked for: an answer to something older than what is shown, or no longer wanted, is dropped. */
  const asked = useRef(0);
  const shown = useRef(0);
  const load = async (from: number) => {
    asked.current += 1;
    const mine = asked.current;
    const isWanted = (): boolean => {
      if (mine <= shown.current) return false;
      shown.current = mine;
      return true;
    };
    try {
      const got = await getText(`${at}?${query}&from=${from}&bytes=${WINDOW}`);
      if (!isWanted()) return;
      setPart(got);
      setProblem('');
    } catch (cause) {
      if (isWanted()) setProblem(cause instanceof Error ? cause.message : String(cause));
    }
  };
  useEffect(() => void load(props.canSearch === true ? -1 : 0), [at, query]);
  useLive(topic, (message) => {
    if (isFollowing && Number(message['size']) !== part?.size) void load(-1);
  });
  /** How far down it was when it was moved to its end. */
  const bottom = useRef(0);
  const toEnd = (node: HTMLElement) => {
    node.scrollTop = node.scrollHeight;
    bottom.current = node.scrollTop;
  };
  useLayoutEffect(() => {
    const node = place.current;
    if (node === null || part === undefined) return;
    const marked = node.querySelector('mark');
    if (isFollowing) toEnd(node);
    else if (marked !== null) marked.scrollIntoView({ block: 'center' });
    else node.scrollTop = 0;
  }, [part]);
  useEffect(() => {
    const node = place.current;
    if (node === null || !isFollowing) return;
    // Its end stays in view when something else of the page takes room.
    const observer = new ResizeObserver(() => toEnd(node));
    observer.observe(node);
    return () => observer.disconnect();
  }, [isFollowing]);
  /** Who scrolls up reads: what is printed meanwhile does not take the text away. */
  const stopFollowing = (node: HTMLElement) => {
    const below = node.scrollHeight - node.scrollTop - node.clientHeight;
    if (isFollowing && node.scrollTop < bottom.current && below > 1) leaveEnd();
  };
  const leaveEnd = () => {
    shown.current = asked.current;
    setFollowing(false);
  };
  const jump = (from: number) => {
    leaveEnd();
    void load(Math.max(0, from));
  };
  const search = async (event: Event) => {
    event.preventDefault();
    if (q === '') return;
    const matches = await getJson<{ readonly found: readonly number[] }>(
      `${at}/search?${query}&q=${encodeURIComponent(q)}`,
    ).catch(() => undefined);
    if (matches === undefined) return;
    setFound(matches.found);
    goTo(matches.found, 0);
  };
  const goTo = (matches: readonly number[], index: number) => {
    const byte = matches[index];
    setHit(index);
    if (byte !== undefined) jump(byte - WINDOW / 2);
  };
  const size = part?.size ?? 0;
  return (
    <>
      {props.canSearch === true ? (
        <form class="logbar" onSubmit={search}>
          {size <= WINDOW ? null : (
            <input
              type="range"
              aria-label="Place in the log"
              min="0"
              max={size - WINDOW}
              step="1"
              value={part?.from ?? 0}
              onChange={(event) => jump(Number(event.currentTarget.value))}
            />
          )}
          <span class="faint">{sizeText(size)}</span>
          <input
            type="search"
            aria-label="Search the log"
            placeholder="Search"
            value={q}
            onInput={(event) => setQ(event.currentTarget.value)}
          />
          {found === undefined ? null : (
            <span class="faint" role="status">
              {found.length === 0 ? 'not found' : `${hit + 1} of ${found.length}`}
            </span>
          )}
          {found !== undefined && found.length > 1 ? (
            <button type="button" class="btn sm" onClick={() => goTo(found, (hit + 1) % found.length)}>
              Next
            </button>
          ) : null}
          <button
            type="button"
            class="btn sm"
            aria-pressed={isFollowing}
            onClick={() => {
              setFollowing(true);
              void load(-1);
            }}
          >
            End
          </button>
        </form>
      ) : null}
      <div
        class="body"
        ref={place}
        tabIndex={0}
        role="region"
        aria-label="Text"
        onScroll={(event) => stopFollowing(event.currentTarget)}
      >
        {problem === '' ? null : <p class="quiet">{problem}</p>}
        {part === undefined ? null : <pre class="log">{marked(part, found?.[hit], q)}</pre>}
      </div>
    </>
  );
}

/** The text, with the match that was jumped to. Colours and links of terminals are left out; everything stays text (S7). */
function marked({ text, from }: TextPart, at: number | undefined, q: string) {
  const shown = plain(text);
  if (at === undefined || q === '' || at < from) return shown;
  const index = shown.indexOf(q, Math.max(0, at - from - 4096));
  if (index === -1) return shown;
  return (
    <>
      {shown.slice(0, index)}
      <mark>{q}</mark>
      {shown.slice(index + q.length)}
    </>
  );
}

/** What a terminal would overwrite, such as the states of a progress bar, are lines. */
function plain(text: string): string {
  return text
    .replace(/\r+\n?/g, '\n')
    .replace(
      /\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]|[\x00-\x08\x0b-\x1f\x7f]/g,
      '',
    );
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1 << 20) return `${(bytes / 1024).toFixed(1)} KB`;
  return bytes < 1 << 30 ? `${(bytes / (1 << 20)).toFixed(1)} MB` : `${(bytes / (1 << 30)).toFixed(2)} GB`;
}
