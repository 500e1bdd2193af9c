/** One dot per tool and size on a logarithmic axis, one panel per shape. Plain SVG, readable on light and dark pages. */
const PANEL = { width: 360, left: 230, gap: 30, top: 56, row: 26, bottom: 44 };
const SIZES = [
  { count: 100, radius: 3.5 },
  { count: 1000, radius: 5 },
  { count: 10_000, radius: 6.5 },
];
const US = 'orchestrate';

export function plot(peers) {
  const base = peers[0].name;
  const names = [...new Set(peers.map(({ name }) => name))].filter((name) => name !== base);
  const ratios = peers
    .filter(({ name }) => name !== base)
    .map((peer) => ({ ...peer, ratio: peer.msPerStep / baseOf(peers, base, peer) }));
  const values = ratios.map(({ ratio }) => ratio);
  const axis = { low: Math.min(0.25, ...values), high: Math.max(4, ...values) * 1.1 };
  const order = (name) =>
    ratios.find((r) => r.name === name && r.shape === 'chain' && r.count === 1000)?.ratio;
  names.sort((a, b) => (order(a) ?? Number.MAX_VALUE) - (order(b) ?? Number.MAX_VALUE));
  const height = PANEL.top + names.length * PANEL.row + PANEL.bottom;
  const width = PANEL.left + 2 * PANEL.width + PANEL.gap + 20;
  const panels = ['chain', 'fan-out'].map((shape, index) =>
    panel(
      ratios.filter((each) => each.shape === shape),
      { shape, names, axis, left: PANEL.left + index * (PANEL.width + PANEL.gap) },
    ),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13">
<rect width="100%" height="100%" fill="#ffffff"/>
${names.map((name, i) => label(name, PANEL.top + (i + 0.5) * PANEL.row)).join('\n')}
${panels.join('\n')}
${legend(height)}
</svg>
`;
}

function baseOf(peers, base, { shape, count }) {
  return peers.find((peer) => peer.name === base && peer.shape === shape && peer.count === count).msPerStep;
}

function label(name, y) {
  const weight = name === US ? ' font-weight="700"' : '';
  return `<text x="${PANEL.left - 14}" y="${y + 4}" text-anchor="end" fill="#1f2328"${weight}>${name}</text>`;
}

function panel(ratios, { shape, names, axis, left }) {
  const x = (value) => left + (PANEL.width * Math.log(value / axis.low)) / Math.log(axis.high / axis.low);
  const bottom = PANEL.top + names.length * PANEL.row;
  const ticks = [0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500].filter(
    (t) => t >= axis.low && t <= axis.high,
  );
  const grid = ticks.map(
    (t) =>
      `<line x1="${x(t).toFixed(1)}" x2="${x(t).toFixed(1)}" y1="${PANEL.top}" y2="${bottom}" stroke="${t === 1 ? '#57606a' : '#d8dee4'}"/><text x="${x(t).toFixed(1)}" y="${bottom + 16}" text-anchor="middle" fill="#57606a" font-size="11">${t}x</text>`,
  );
  const dots = ratios.map(({ name, count, ratio }) => {
    const y = PANEL.top + (names.indexOf(name) + 0.5) * PANEL.row;
    const { radius } = SIZES.find((size) => size.count === count);
    return `<circle cx="${x(ratio).toFixed(1)}" cy="${y}" r="${radius}" fill="${name === US ? '#0969da' : '#8c959f'}" fill-opacity="0.75"><title>${name}, ${shape} of ${count}: ${ratio.toFixed(2)}x</title></circle>`;
  });
  const title = shape === 'chain' ? 'a chain' : 'a fan-out, eight at once';
  return `<text x="${left + PANEL.width / 2}" y="24" text-anchor="middle" fill="#1f2328" font-weight="600">${title}</text>
<text x="${left + PANEL.width / 2}" y="42" text-anchor="middle" fill="#57606a" font-size="11">cost of a step, times that of a bare Node loop</text>
${[...grid, ...dots].join('\n')}`;
}

function legend(height) {
  const items = SIZES.map(
    ({ count, radius }, i) =>
      `<circle cx="${PANEL.left + 10 + i * 120}" cy="${height - 14}" r="${radius}" fill="#8c959f"/><text x="${PANEL.left + 22 + i * 120}" y="${height - 10}" fill="#57606a" font-size="11">${count.toLocaleString('en')} steps</text>`,
  );
  return items.join('\n');
}
