import { useEffect, useRef } from 'preact/hooks';
import { isTyping } from '../keys.ts';
import { go, withQuery } from '../route.ts';
import type { ListEntry, RowStore } from './row-store.ts';

/** The keys of the tree: move, fold, and open a tab of the step. */
export function useTreeKeys(
  entries: readonly ListEntry[],
  selected: string,
  store: RowStore,
  select: (key: string) => void,
): void {
  const latest = useRef({ entries, selected, select });
  latest.current = { entries, selected, select };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event)) return;
      const { entries, selected, select } = latest.current;
      const index = entries.findIndex(({ row }) => row?.key === selected);
      const move = (by: number) => {
        const key = entries[Math.min(entries.length - 1, Math.max(0, index + by))]?.row?.key;
        if (key !== undefined) select(key);
        event.preventDefault();
      };
      const tabs: { readonly [key: string]: string } = {
        ...{ l: 'log', w: 'why', p: 'prompt', t: 'transcript', f: 'files', o: 'proof' },
      };
      const isInTree = target.getAttribute('role') === 'tree';
      if (event.key === 'j' || (isInTree && event.key === 'ArrowDown')) move(1);
      else if (event.key === 'k' || (isInTree && event.key === 'ArrowUp')) move(-1);
      else if (event.key === 'ArrowRight' && target.tagName !== 'BUTTON') store.toggle(selected, true);
      else if (event.key === 'ArrowLeft' && target.tagName !== 'BUTTON') store.toggle(selected, false);
      else if (tabs[event.key] !== undefined) go(withQuery({ tab: tabs[event.key] }), true);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [store]);
}
