import { useMemo } from 'preact/hooks';
import type { Flow } from '../../src/operations/live/flow.ts';
import { Graph, GraphArrow, GraphNode, LONGEST_NAME } from '../graph.tsx';
import { iconPath, kindIcon } from '../icons.tsx';
import { STATUS_WORDS, shortText, TONE } from '../words.ts';
import { type Arrow, type Box, layout } from './flow-layout.ts';

export function FlowView(props: {
  readonly flow: Flow;
  readonly selected: string;
  onSelect(key: string): void;
}) {
  const drawing = useMemo(() => layout(props.flow), [props.flow]);
  const chosen = chosenBox(drawing.boxes, props.selected);
  return (
    <Graph label="Flow of the run" width={drawing.width} height={drawing.height} shown={chosen}>
      {drawing.boxes.map((box) => {
        const key = `${box.x} ${box.y} ${box.node.name}`;
        return box.isHolder ? (
          <Holder key={key} box={box} />
        ) : (
          <Step key={key} box={box} isSelected={box === chosen} onSelect={props.onSelect} />
        );
      })}
      {drawing.arrows.map((arrow) => (
        <g key={arrow.path}>
          <GraphArrow path={arrow.path} isPlanned={arrow.isPlanned} isBack={arrow.label !== undefined} />
          <Label arrow={arrow} />
        </g>
      ))}
    </Graph>
  );
}

function Label({ arrow: { label } }: { readonly arrow: Arrow }) {
  if (label === undefined) return null;
  return (
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
  );
}

/** The flow shows a step once, whatever the item and the visit; a loop or a task may have a number as its name. */
function chosenBox(boxes: readonly Box[], selected: string): Box | undefined {
  for (const same of [String, ofAnyVisit, ofAnyItem]) {
    const key = same(selected);
    const found = boxes.find(({ node }) => node.stats !== undefined && same(node.stats.key) === key);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ofAnyVisit(key: string): string {
  return key.replace(/#\d+/g, '');
}

function ofAnyItem(key: string): string {
  return ofAnyVisit(key).replace(/\/\d+(?=\/|$)/g, '/*');
}

/** A step that contains others is drawn around them. */
function Holder({ box: { node, x, y, width, height, meta } }: { readonly box: Box }) {
  const name = shortText(node.name, LONGEST_NAME);
  return (
    <g class="gc" transform={`translate(${x} ${y})`}>
      <title>{node.name}</title>
      <rect width={width} height={height} rx="11" />
      <text x="12" y="19">
        {name}
      </text>
      <text class="m" x={18 + name.length * 6.6} y="19">
        {meta}
      </text>
    </g>
  );
}

function Step(props: { readonly box: Box; readonly isSelected: boolean; onSelect(key: string): void }) {
  const { box } = props;
  const { node } = box;
  const key = node.stats?.key;
  const status = node.stats === undefined ? 'plan' : node.stats.ran === 0 ? 'skipped' : node.stats.status;
  const words = status === 'plan' ? 'Not reached' : (STATUS_WORDS[status] ?? status);
  return (
    <GraphNode
      box={box}
      name={node.name}
      title={node.name.length > LONGEST_NAME ? `${node.name}: ${words}` : words}
      meta={box.meta}
      icon={status === 'plan' ? 'skipped' : status}
      tone={status === 'plan' ? 'plan' : (TONE[status] ?? 'plan')}
      isSelected={props.isSelected}
      onSelect={key === undefined ? undefined : () => props.onSelect(key)}
    >
      <g class="ki" transform={`translate(${box.width - 21} 7) scale(.86)`}>
        <path
          d={iconPath(kindIcon(node.type))}
          style={{ fill: 'none', stroke: 'currentColor', strokeWidth: 1.4 }}
        />
      </g>
    </GraphNode>
  );
}
