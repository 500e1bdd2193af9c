import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunSummary } from '../../src/operations/live/run-summary.ts';
import { isTyping } from '../keys.ts';

/** `j`, `k` and Enter. */
export function useRowKeys(
  runs: readonly RunSummary[],
  open: (run: RunSummary) => void,
): readonly [number, (at: number) => void] {
  const [at, setAt] = useState(-1);
  const latest = useRef({ at, runs });
  latest.current = { at, runs };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.metaKey || event.ctrlKey || isTyping(event)) return;
      if (event.key === 'j') setAt((before) => Math.min(latest.current.runs.length - 1, before + 1));
      else if (event.key === 'k') setAt((before) => Math.max(0, before - 1));
      else if (event.key === 'Enter' && !/^(A|BUTTON)$/.test(target.tagName)) {
        const run = latest.current.runs[latest.current.at];
        if (run !== undefined) open(run);
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return [at, setAt];
}
