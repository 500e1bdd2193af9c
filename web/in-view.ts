/**
 * Scrolls a place to what was chosen. When the place becomes smaller, because something else of the page has been loaded or has grown, what
 * was seen stays in view; a user who has scrolled elsewhere is not brought back.
 */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export interface Chosen {
  /** Another one: it is scrolled to. */
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Seen around it. */
  readonly margin: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export function useInView(place: RefObject<HTMLElement>, chosen: Chosen | undefined): void {
  const latest = useRef(chosen);
  latest.current = chosen;
  useEffect(() => {
    const node = place.current;
    if (node === null || chosen === undefined) return;
    let before: Size | undefined;
    const look = (): void => {
      const { current } = latest;
      if (current === undefined) return;
      if (before === undefined || isSeen(current, node, before)) scrollTo(node, current);
      before = { width: node.clientWidth, height: node.clientHeight };
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(node);
    return () => observer.disconnect();
  }, [chosen?.id]);
}

function isSeen({ x, y, width, height }: Chosen, node: HTMLElement, size: Size): boolean {
  const isIn = (from: number, length: number, [start, seen]: readonly [number, number]): boolean =>
    from >= start - 1 && from + length <= start + seen + 1;
  return isIn(x, width, [node.scrollLeft, size.width]) && isIn(y, height, [node.scrollTop, size.height]);
}

/** No further than needed. */
function scrollTo(node: HTMLElement, { x, y, width, height, margin }: Chosen): void {
  const to = (from: number, size: number, [start, length]: readonly [number, number]): number =>
    Math.min(start - margin, Math.max(from, start + length + margin - size));
  node.scrollLeft = to(node.scrollLeft, node.clientWidth, [x, width]);
  node.scrollTop = to(node.scrollTop, node.clientHeight, [y, height]);
}
