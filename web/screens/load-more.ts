/** Loads the other screens as soon as the first one is there: a server that is killed later does not matter to them. */
import { signal } from '@preact/signals';
import { connection } from '../live/stream.ts';

export const more = signal<typeof import('./more.tsx') | undefined>(undefined);

export async function loadMore(): Promise<void> {
  try {
    more.value = await import('./more.tsx');
  } catch {
    const stop = connection.subscribe((is) => {
      if (is !== 'live') return;
      queueMicrotask(() => stop());
      void loadMore();
    });
  }
}
