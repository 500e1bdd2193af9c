/** Icons: a path for each name, drawn in the colour of the text. */
const PATHS: { readonly [name: string]: string } = {
  runs: 'M5 3.6h6.4M5 7h6.4M5 10.4h6.4M2.6 3.6h.1M2.6 7h.1M2.6 10.4h.1',
  inbox:
    'M2 8.2l1.7-4.4c.1-.4.5-.7.9-.7h4.8c.4 0 .8.3.9.7L12 8.2v2c0 .6-.5 1-1 1H3c-.6 0-1-.4-1-1zM2 8.2h2.8l.7 1.3h3l.7-1.3H12',
  loops: 'M3 6.2A4.2 4.2 0 0 1 10.6 4.6M11 7.8A4.2 4.2 0 0 1 3.4 9.4M10.8 2.4v2.4H8.4M3.2 11.6V9.2h2.4',
  sessions: 'M2 2.6h2.8v8.8H2zM5.8 2.6h2.8v5.6H5.8zM9.6 2.6h2.8v7.2H9.6z',
  phases: 'M2 7h2.2M9.8 7H12M6.2 7h1.6M4.2 7a1 1 0 1 0 2 0 1 1 0 1 0-2 0M7.8 7a1 1 0 1 0 2 0 1 1 0 1 0-2 0',
  conversations:
    'M2.2 4.2c0-.8.6-1.4 1.4-1.4h6.8c.8 0 1.4.6 1.4 1.4v4c0 .8-.6 1.4-1.4 1.4H6.4L3.8 11.8V9.6h-.2c-.8 0-1.4-.6-1.4-1.4z',
  queues: 'M2.4 4h9.2M2.4 7h9.2M2.4 10h5',
  costs:
    'M2.2 7a4.8 4.8 0 1 0 9.6 0 4.8 4.8 0 1 0-9.6 0M8.6 5.5c-.3-.6-.9-.9-1.6-.9-1 0-1.7.5-1.7 1.2 0 1.7 3.4.7 3.4 2.4 0 .8-.7 1.3-1.7 1.3-.8 0-1.4-.3-1.7-.9M7 3.7v6.6',
  schedule: 'M2.2 7a4.8 4.8 0 1 0 9.6 0 4.8 4.8 0 1 0-9.6 0M7 4.2V7l2 1.4',
  workers: 'M2.4 3h9.2v3H2.4zM2.4 8h9.2v3H2.4zM4.4 4.5h.1M4.4 9.5h.1',
  bell: 'M3.6 9.6c.7-.7.9-1.5.9-3.2 0-1.8 1-3 2.5-3s2.5 1.2 2.5 3c0 1.7.2 2.5.9 3.2zM6 11.4c.5.6 1.5.6 2 0',
  more: 'M3.2 7h.1M7 7h.1M10.8 7h.1',
  waiting: 'M5 5.2a2.1 2.1 0 1 1 3 1.9c-.7.35-1 .8-1 1.5M7 11h.01',
  running: 'M4.8 3.4v7.2L10.6 7z',
  failed: 'M4 4l6 6M10 4l-6 6',
  damaged: 'M7 2.6l5 8.8H2zM7 6v2.4M7 10h.01',
  interrupted: 'M4 4h6v6H4z',
  cancelled: 'M2.8 7a4.2 4.2 0 1 0 8.4 0 4.2 4.2 0 1 0-8.4 0M4.2 9.8l5.6-5.6',
  unverified: 'M7 2.6l5 8.8H2zM7 6v2.4M7 10h.01',
  completed: 'M3.2 7.4l2.5 2.5 5.1-5.6',
  skipped: 'M2.8 7a4.2 4.2 0 1 0 8.4 0 4.2 4.2 0 1 0-8.4 0',
  plus: 'M7 3v8M3 7h8',
  search: 'M2.6 6.2a3.6 3.6 0 1 0 7.2 0 3.6 3.6 0 1 0-7.2 0M9 9l2.8 2.8',
  open: 'M5.5 3.5L9 7l-3.5 3.5',
  shut: 'M3.5 5.5L7 9l3.5-3.5',
  person: 'M4.8 4.7a2.2 2.2 0 1 0 4.4 0 2.2 2.2 0 1 0-4.4 0M2.8 11.6c.5-2.2 2.1-3.3 4.2-3.3s3.7 1.1 4.2 3.3',
  agent:
    'M4.6 4.6h4.8a2 2 0 0 1 2 2v2.6a2 2 0 0 1-2 2H4.6a2 2 0 0 1-2-2V6.6a2 2 0 0 1 2-2zM7 2.4v2.2M5.3 7.6v.6M8.7 7.6v.6',
  command:
    'M3.7 2.9h6.6a1.8 1.8 0 0 1 1.8 1.8v4.8a1.8 1.8 0 0 1-1.8 1.8H3.7a1.8 1.8 0 0 1-1.8-1.8V4.7a1.8 1.8 0 0 1 1.8-1.8zM4.3 5.6l1.7 1.5-1.7 1.5M7.4 8.8h2.2',
  folder:
    'M1.9 4.2c0-.7.5-1.2 1.2-1.2h2l1.2 1.4h4.6c.7 0 1.2.5 1.2 1.2v4.4c0 .7-.5 1.2-1.2 1.2H3.1c-.7 0-1.2-.5-1.2-1.2z',
  file: 'M4 2h4l2.5 2.5V12H4zM8 2v2.5h2.5',
  fork: 'M2.7 3a1.3 1.3 0 1 0 2.6 0 1.3 1.3 0 1 0-2.6 0M2.7 11a1.3 1.3 0 1 0 2.6 0 1.3 1.3 0 1 0-2.6 0M8.7 5a1.3 1.3 0 1 0 2.6 0 1.3 1.3 0 1 0-2.6 0M4 4.3v5.4M10 6.3c0 2-2.4 2.2-4 2.6-1.2.3-2 .6-2 1',
};

const FILLED = new Set(['running', 'interrupted']);

export function Icon({ name, size = 14 }: { readonly name: string; readonly size?: number }) {
  return (
    <svg
      class="ic"
      viewBox="0 0 14 14"
      width={size}
      height={size}
      fill={FILLED.has(name) ? 'currentColor' : 'none'}
      stroke="currentColor"
      stroke-width="1.45"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name] ?? ''} />
    </svg>
  );
}

export function iconPath(name: string): string {
  return PATHS[name] ?? '';
}

/** The icon of what a step does. */
export function kindIcon(kind: string): string {
  if (kind === 'agent' || kind === 'provider') return 'agent';
  if (kind === 'wait') return 'folder';
  if (kind === 'question' || kind === 'approve') return 'person';
  return 'command';
}
