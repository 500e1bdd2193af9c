import { connection } from './stream.ts';

export function Live() {
  return (
    <span class="live" role="status">
      <i class={connection.value === 'live' ? '' : 'off'} />
      {connection.value === 'live' ? 'Live' : 'Connecting…'}
    </span>
  );
}
