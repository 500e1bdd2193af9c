/** What the flow of a run and the dependencies of tasks have in common: boxes that can be chosen, and arrows. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { iconPath } from './icons.tsx';
import { useInView } from './in-view.ts';
import { shortText } from './words.ts';

/** Longer names are cut; the title has them whole. */
export const LONGEST_NAME = 30;
const FILLED: readonly string[] = ['running', 'interrupted'];
/** Around the box that is scrolled to. */
const MARGIN = 16;

interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function Graph(props: {
  readonly label: string;
  readonly width: number;
  readonly height: number;
  /** What is scrolled to. */
  readonly shown?: Place | undefined;
  readonly children: ComponentChildren;
}) {
  const { width, height, shown } = props;
  const scrolled = useRef<HTMLDivElement>(null);
  useInView(
    scrolled,
    shown === undefined ? undefined : { ...shown, id: `${shown.x} ${shown.y}`, margin: MARGIN },
  );
  return (
    <div class="flow-scroll" ref={scrolled}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
        role="group"
        aria-label={props.label}
      >
        <defs>
          <ArrowHead id="a" />
          <ArrowHead id="b" kind="mb" />
        </defs>
        {props.children}
      </svg>
    </div>
  );
}

function ArrowHead({ id, kind }: { readonly id: string; readonly kind?: string }) {
  return (
    <marker
      id={id}
      class={kind ?? ''}
      viewBox="0 0 8 8"
      refX="6"
      refY="4"
      markerWidth="6.5"
      markerHeight="6.5"
      orient="auto"
    >
      <path d="M1 1l5 3-5 3z" />
    </marker>
  );
}

export function GraphArrow(props: {
  readonly path: string;
  readonly isPlanned: boolean;
  readonly isBack?: boolean;
}) {
  const isBack = props.isBack === true;
  return (
    <path
      class={`ge ${props.isPlanned ? 'plan' : ''} ${isBack ? 'back' : ''}`}
      d={props.path}
      marker-end={isBack ? 'url(#b)' : 'url(#a)'}
    />
  );
}

export function GraphNode(props: {
  readonly box: Place;
  readonly name: string;
  readonly title: string;
  readonly meta: string;
  readonly icon: string;
  readonly tone: string;
  readonly isSelected: boolean;
  /** Undefined: there is nothing to choose. */
  readonly onSelect: (() => void) | undefined;
  readonly children?: ComponentChildren;
}) {
  const { box, icon, tone, onSelect } = props;
  return (
    <g
      class={`gn ${tone} ${props.isSelected ? 'sel' : ''}`}
      transform={`translate(${box.x} ${box.y})`}
      {...(onSelect === undefined ? {} : { role: 'button', tabIndex: 0 })}
      onClick={() => onSelect?.()}
      onKeyDown={(event) => {
        if (onSelect === undefined || (event.key !== 'Enter' && event.key !== ' ')) return;
        event.preventDefault();
        onSelect();
      }}
    >
      <title>{props.title}</title>
      <rect width={box.width} height={box.height} rx="8" />
      <g class={`c-${tone}`} transform="translate(10 8) scale(.93)">
        <path
          d={iconPath(icon)}
          style={{
            fill: FILLED.includes(icon) ? 'currentColor' : 'none',
            stroke: 'currentColor',
            strokeWidth: 1.7,
          }}
          stroke-linecap="round"
        />
      </g>
      <text x="28" y="18.5">
        {shortText(props.name, LONGEST_NAME)}
      </text>
      <text class="m" x="11" y="34">
        {props.meta}
      </text>
      {props.children}
    </g>
  );
}
