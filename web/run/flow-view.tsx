import { useMemo } from 'preact/hooks';
import type { Flow } from '../../src/operations/live/flow.ts';
import { iconPath, kindIcon } from '../icons.tsx';
import { STATUS_WORDS, TONE } from '../words.ts';
import { type Box, layout } from './flow-layout.ts';

export function FlowView(props: {
  readonly flow: Flow;
  readonly selected: string;
  onSelect(key: string): void;
}) {
  const drawing = useMemo(() => layout(props.flow), [props.flow]);
  const { width, height } = drawing;
  return (
    <div class="flow-scroll">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
        role="group"
        aria-label="Flow of the run"
      >
        <defs>
          <marker
            id="a"
            viewBox="0 0 8 8"
            refX="6"
            refY="4"
            markerWidth="6.5"
            markerHeight="6.5"
            orient="auto"
          >
            <path d="M1 1l5 3-5 3z" />
          </marker>
          <marker
            id="b"
            class="mb"
            viewBox="0 0 8 8"
            refX="6"
            refY="4"
            markerWidth="6.5"
            markerHeight="6.5"
            orient="auto"
          >
            <path d="M1 1l5 3-5 3z" />
          </marker>
        </defs>
        {drawing.boxes.map((box) => (
          <Node
            key={`${box.x} ${box.y} ${box.node.name}`}
            box={box}
            isSelected={props.selected !== '' && sameStep(props.selected, box)}
            onSelect={props.onSelect}
          />
        ))}
        {drawing.arrows.map(({ path, isPlanned, label }) => (
          <g key={path}>
            <path
              class={`ge ${isPlanned ? 'plan' : ''} ${label === undefined ? '' : 'back'}`}
              d={path}
              marker-end={label === undefined ? 'url(#a)' : 'url(#b)'}
            />
            {label === undefined ? null : (
              <>
                <rect
                  x={label.x - label.text.length * 3}
                  y={label.y - 8}
                  width={label.text.length * 6}
                  height="16"
                  rx="8"
                  style={{ fill: 'var(--panel)' }}
                />
                <text class="gl" x={label.x} y={label.y + 3.5} text-anchor="middle">
                  {label.text}
                </text>
              </>
            )}
          </g>
        ))}
      </svg>
    </div>
  );
}

/** The flow shows a step once, whatever the item and the visit. */
function sameStep(key: string, { node }: Box): boolean {
  return plain(key) === plain(node.stats?.key ?? '');
}

function plain(key: string): string {
  return key.replace(/#\d+/g, '').replace(/\/\d+(?=\/|$)/g, '/*');
}

function Node({
  box,
  isSelected,
  onSelect,
}: {
  readonly box: Box;
  readonly isSelected: boolean;
  onSelect(key: string): void;
}) {
  const { node, x, y, width, height, meta } = box;
  const at = `translate(${x} ${y})`;
  if (box.isHolder)
    return (
      <g class="gc" transform={at}>
        <rect width={width} height={height} rx="11" />
        <text x="12" y="19">
          {node.name}
        </text>
        <text class="m" x={18 + node.name.length * 6.6} y="19">
          {meta}
        </text>
      </g>
    );
  const status = node.stats === undefined ? 'plan' : node.stats.ran === 0 ? 'skipped' : node.stats.status;
  const tone = status === 'plan' ? 'plan' : (TONE[status] ?? 'plan');
  const key = node.stats?.key;
  return (
    <g
      class={`gn ${tone} ${isSelected ? 'sel' : ''}`}
      transform={at}
      {...(key === undefined ? {} : { role: 'button', tabIndex: 0 })}
      onClick={() => key !== undefined && onSelect(key)}
      onKeyDown={(event) => {
        if (key !== undefined && (event.key === 'Enter' || event.key === ' ')) {
          event.preventDefault();
          onSelect(key);
        }
      }}
    >
      <title>{status === 'plan' ? 'Not reached' : (STATUS_WORDS[status] ?? status)}</title>
      <rect width={width} height={height} rx="8" />
      <g class={`c-${tone}`} transform="translate(10 8) scale(.93)">
        <path
          d={iconPath(status === 'plan' ? 'skipped' : status)}
          style={{
            fill: status === 'running' || status === 'interrupted' ? 'currentColor' : 'none',
            stroke: 'currentColor',
            strokeWidth: 1.7,
          }}
          stroke-linecap="round"
        />
      </g>
      <text x="28" y="18.5">
        {node.name}
      </text>
      <text class="m" x="11" y="34">
        {meta}
      </text>
      <g class="ki" transform={`translate(${width - 21} 7) scale(.86)`}>
        <path
          d={iconPath(kindIcon(node.type))}
          style={{ fill: 'none', stroke: 'currentColor', strokeWidth: 1.4 }}
        />
      </g>
    </g>
  );
}
