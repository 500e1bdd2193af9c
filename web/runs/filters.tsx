/** Which runs are listed: by status, kind, time and text. All of it is in the address. */
import type { RunsFound } from '../api.ts';
import { Icon } from '../icons.tsx';
import { go, route, withQuery } from '../route.ts';
import { STATUS_WORDS, TONE } from '../words.ts';

const CHIPS = ['waiting', 'running', 'failed', 'interrupted', 'completed', 'cancelled', 'damaged'];
const TIMES = [
  ['', 'Any time'],
  ['1', 'Today'],
  ['7', 'Last 7 days'],
  ['30', 'Last 30 days'],
  ['between', 'Between…'],
] as const;
const NAMES = ['status', 'kind', 'q', 'days', 'from', 'to'] as const;

/** What the address asks for. */
export function askedRuns(query: URLSearchParams): { readonly [name: string]: string } {
  const asked: { [name: string]: string } = {};
  for (const name of ['status', 'kind', 'q']) {
    const value = query.get(name) ?? '';
    if (value !== '') asked[name] = value;
  }
  const days = Number(query.get('days') ?? '');
  const [since, until] =
    days > 0
      ? [startOfDay(new Date(), 1 - days), undefined]
      : [dayIn(query, 'from', 0), dayIn(query, 'to', 1)];
  if (since !== undefined) asked['since'] = since;
  if (until !== undefined) asked['until'] = until;
  return asked;
}

/** A day of the address, in the time zone of the reader. */
function dayIn(query: URLSearchParams, name: string, plusDays: number): string | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(query.get(name) ?? '') ?? [];
  if (day === undefined) return undefined;
  return startOfDay(new Date(Number(year), Number(month) - 1, Number(day)), plusDays);
}

export function startOfDay(date: Date, plusDays = 0): string {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + plusDays).toISOString();
}

export function withoutFilters(): string {
  return withQuery(Object.fromEntries(NAMES.map((name) => [name, ''])));
}

export function Filters({ found }: { readonly found: RunsFound | undefined }) {
  const { query } = route.value;
  const status = query.get('status') ?? '';
  return (
    <div class="filters">
      <Chip
        label="All"
        count={found?.all}
        isOn={status === ''}
        onClick={() => go(withQuery({ status: '' }))}
      />
      {CHIPS.filter((each) => (found?.counts[each] ?? 0) > 0 || each === status).map((each) => (
        <Chip
          key={each}
          icon={each}
          label={STATUS_WORDS[each] ?? each}
          count={found === undefined ? undefined : (found.counts[each] ?? 0)}
          isOn={status === each}
          onClick={() => go(withQuery({ status: each === status ? '' : each }))}
        />
      ))}
      {(found?.kinds.length ?? 0) > 1 ? (
        <span class="chip">
          <select
            aria-label="Kind"
            value={query.get('kind') ?? ''}
            onChange={(event) => go(withQuery({ kind: event.currentTarget.value }))}
          >
            <option value="">Every kind</option>
            {found?.kinds.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </span>
      ) : null}
      <When query={query} />
      <label class="search">
        <Icon name="search" />
        <input
          data-search
          aria-label="Search runs"
          placeholder="Title, step, id, error"
          value={query.get('q') ?? ''}
          onInput={(event) => go(withQuery({ q: event.currentTarget.value }), true)}
        />
        <kbd>/</kbd>
      </label>
    </div>
  );
}

/** When a run was started. */
function When({ query }: { readonly query: URLSearchParams }) {
  const isBetween = query.has('from') || query.has('to');
  const choose = (value: string) => {
    const today = localDay(new Date());
    if (value === 'between') go(withQuery({ days: '', from: today, to: today }));
    else go(withQuery({ days: value, from: '', to: '' }));
  };
  return (
    <>
      <span class="chip">
        <select
          aria-label="Started"
          value={isBetween ? 'between' : (query.get('days') ?? '')}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {TIMES.map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
      </span>
      {isBetween ? (
        <span class="chip dates">
          {(['from', 'to'] as const).map((name) => (
            <label key={name}>
              <span class="faint">{name}</span>
              <input
                type="date"
                aria-label={name === 'from' ? 'First day' : 'Last day'}
                value={query.get(name) ?? ''}
                onChange={(event) => go(withQuery({ [name]: event.currentTarget.value }), true)}
              />
            </label>
          ))}
        </span>
      ) : null}
    </>
  );
}

function localDay(date: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function Chip(props: {
  readonly label: string;
  /** Undefined: it is not known yet, which is not 0. */
  readonly count: number | undefined;
  readonly icon?: string;
  readonly isOn: boolean;
  onClick(): void;
}) {
  return (
    <button type="button" class="chip" aria-pressed={props.isOn} onClick={props.onClick}>
      {props.icon === undefined ? null : (
        <span class={`c-${TONE[props.icon]}`}>
          <Icon name={props.icon} />
        </span>
      )}
      {props.label} {props.count === undefined ? null : <em>{props.count}</em>}
    </button>
  );
}
