/** The tree of steps and their times on shared rows. Only the rows that are seen are in the page. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { StepRow } from '../../src/operations/live/step-row.ts';
import type { Timeline } from '../../src/operations/live/timeline.ts';
import { Icon } from '../icons.tsx';
import { useInView } from '../in-view.ts';
import { durationText, plural, STATUS_WORDS, shownStatus, stepCostText, TONE } from '../words.ts';
import type { ListEntry } from './row-store.ts';
import { createScale, type Scale } from './time-scale.ts';

export function StepsTree(props: {
  readonly entries: readonly ListEntry[];
  readonly timeline: Timeline | undefined;
  readonly selected: string;
  isOpen(key: string): boolean;
  onNeed(entries: readonly ListEntry[]): void;
  onSelect(key: string): void;
  onToggle(key: string): void;
}) {
  const { entries, selected } = props;
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 400, row: 24 });
  useLayoutEffect(() => {
    const node = place.current;
    if (node === null) return;
    const measure = () =>
      setView({
        top: node.scrollTop,
        height: node.clientHeight,
        row: matchMedia('(max-width:640px)').matches ? 44 : 24,
      });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(node);
    return () => observer.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(view.top / view.row) - 8);
  const last = Math.min(entries.length, Math.ceil((view.top + view.height) / view.row) + 8);
  const seen = entries.slice(first, last);
  useEffect(() => props.onNeed(seen));
  const index = entries.findIndex(({ row }) => row?.key === selected);
  const isListed = index !== -1;
  const chosen = { id: `${selected} ${view.row}`, x: 0, y: index * view.row, width: 0, height: view.row };
  useInView(place, isListed ? { ...chosen, margin: 0 } : undefined);
  const scale = props.timeline === undefined ? undefined : createScale(props.timeline);
  return (
    <>
      <div class="axis" aria-hidden="true">
        <div />
        <div class="num">cost</div>
        <div class="num">took</div>
        <div class="ticks">
          {(scale?.ticks ?? []).map(({ at, text }) => (
            <span key={text} style={{ left: `${at}%` }}>
              {text}
            </span>
          ))}
        </div>
      </div>
      <div
        class="rows"
        ref={place}
        role="tree"
        aria-label="Steps"
        tabIndex={0}
        onScroll={(event) =>
          setView({ ...view, top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })
        }
      >
        <div class="space" style={{ height: `${entries.length * view.row}px` }}>
          <div class="grid" aria-hidden="true">
            <div />
            <div />
            <div />
            <div class="lines">
              {(scale?.ticks ?? []).map(({ at, text }) => (
                <i key={text} style={{ left: `${at}%` }} />
              ))}
            </div>
          </div>
          {seen.map((entry, index) => (
            <Row
              key={`${entry.parent} ${entry.place}`}
              entry={entry}
              top={(first + index) * view.row}
              scale={scale}
              isSelected={entry.row?.key === selected}
              isOpen={entry.row !== undefined && props.isOpen(entry.row.key)}
              onSelect={props.onSelect}
              onToggle={props.onToggle}
            />
          ))}
        </div>
      </div>
    </>
  );
}

/** What is deep inside leaves room for its name. */
function indent(depth: number): string {
  return `${12 + Math.min(depth, 3) * 19 + Math.max(0, depth - 3) * 9}px`;
}

function Row(props: {
  readonly entry: ListEntry;
  readonly top: number;
  readonly scale: Scale | undefined;
  readonly isSelected: boolean;
  readonly isOpen: boolean;
  onSelect(key: string): void;
  onToggle(key: string): void;
}) {
  const { entry, top } = props;
  const { row, depth } = entry;
  if (row === undefined)
    return (
      <div class="row" style={{ top: `${top}px` }} role="treeitem" aria-label="Loading">
        <div class="name faint" style={{ paddingLeft: indent(depth) }}>
          …
        </div>
      </div>
    );
  const name = shownName(row);
  const status = shownStatus(row);
  return (
    <div
      class={`row ${props.isSelected ? 'sel' : ''}`}
      style={{ top: `${top}px` }}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={props.isSelected}
      data-status={row.status}
      {...(row.children > 0 ? { 'aria-expanded': props.isOpen } : {})}
      data-key={row.key}
      onClick={() => props.onSelect(row.key)}
    >
      <div class="name" style={{ paddingLeft: indent(depth) }}>
        <span
          class="chev"
          onClick={(event) => {
            event.stopPropagation();
            props.onToggle(row.key);
          }}
        >
          {row.children > 0 ? <Icon name={props.isOpen ? 'shut' : 'open'} size={10} /> : null}
        </span>
        <span class={`c-${TONE[status] ?? 'skip'} ${status === 'running' ? 'pulse' : ''}`}>
          <Icon name={status} />
          <span class="sr">{STATUS_WORDS[status] ?? status}</span>
        </span>
        <b title={row.item ?? row.key}>{name}</b>
        <span class="x" title={about(row)}>
          {about(row)}
        </span>
      </div>
      <div class="num">
        {row.cost_usd === undefined ? '' : (stepCostText(row) ?? '').replace('cost unknown', 'unknown')}
      </div>
      <div class="num">
        {row.duration_ms === undefined || row.status === 'skipped' ? '' : durationText(row.duration_ms)}
      </div>
      <div class="bar">{props.scale === undefined ? null : <Bar row={row} scale={props.scale} />}</div>
    </div>
  );
}

/** Items are often paths; the whole is in the title. */
export function shownName({ item, name }: Pick<StepRow, 'item' | 'name'>): string {
  if (item === undefined) return name;
  return /^[\w@./+-]+$/.test(item) ? (item.split('/').at(-1) ?? item) : item;
}

function about(row: StepRow): string {
  const parts: string[] = [];
  if (row.visits > 1) parts.push(`visit ${row.visits}`);
  if (row.items !== undefined)
    parts.push(
      row.items_done === row.items
        ? plural(row.items, 'item')
        : `${row.items_done} of ${plural(row.items, 'item')}`,
    );
  if (row.agent !== undefined) parts.push(row.agent);
  if (row.attempts > 1) parts.push(`${row.attempts} attempts`);
  // The note says first that the failure did not end the run: it was allowed, or the run continued elsewhere.
  if (row.failure_allowed === true) parts.push('failure allowed');
  else if (row.note !== undefined) parts.push(row.note.replaceAll('`', ''));
  if (row.status === 'failed' && row.error !== undefined) parts.push(row.error.replaceAll('`', ''));
  if (shownStatus(row) === 'unverified') parts.push('not verified');
  return parts.join(' · ');
}

function Bar({ row, scale }: { readonly row: StepRow; readonly scale: Scale }) {
  if (row.started_at === undefined || row.status === 'skipped') return null;
  const start = Date.parse(row.started_at);
  const end = row.duration_ms === undefined ? scale.to : start + row.duration_ms;
  const left = scale.at(start);
  const isHolder = row.children > 0 || row.items !== undefined;
  const tone =
    row.status === 'waiting'
      ? 'ask'
      : row.status === 'failed' || row.status === 'running' || row.status === 'interrupted'
        ? (TONE[row.status] ?? '')
        : row.kind === 'agent'
          ? 'agent'
          : row.kind === 'wait'
            ? 'wait'
            : 'cmd';
  return (
    <span
      class={`b ${isHolder ? 'hold' : tone}`}
      style={{ left: `${left}%`, width: `${Math.max(0, scale.at(end) - left)}%` }}
    />
  );
}
