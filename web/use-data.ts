import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { getJson, Refusal } from './api.ts';
import { type LiveMessage, subscribe } from './live/stream.ts';

export interface Data<Value> {
  readonly value: Value | undefined;
  readonly problem: Refusal | undefined;
  again(): Promise<void>;
  set(change: (value: Value) => Value): void;
}

/** What the server answers at this address, asked again when the address changes. */
export function useData<Value>(path: string | undefined): Data<Value> {
  const [state, setState] = useState<{
    readonly path?: string;
    readonly value?: Value;
    readonly problem?: Refusal;
  }>({});
  const latest = useRef(0);
  const again = useCallback(async () => {
    if (path === undefined) return;
    latest.current += 1;
    const mine = latest.current;
    try {
      const value = await getJson<Value>(path);
      if (mine === latest.current) setState({ path, value });
    } catch (cause) {
      const problem = cause instanceof Refusal ? cause : new Refusal(0, String(cause));
      if (mine === latest.current)
        setState((before) =>
          before.path === path && before.value !== undefined ? { ...before, problem } : { path, problem },
        );
    }
  }, [path]);
  useEffect(() => void again(), [again]);
  const set = useCallback((change: (value: Value) => Value) => {
    setState((before) => (before.value === undefined ? before : { ...before, value: change(before.value) }));
  }, []);
  return { value: state.value, problem: state.problem, again, set };
}

/** Calls `handler` for every message of the topic while the part is shown. */
export function useLive(topic: string | undefined, handler: (message: LiveMessage) => void): void {
  const latest = useRef(handler);
  latest.current = handler;
  useEffect(
    () => (topic === undefined ? undefined : subscribe(topic, (message) => latest.current(message))),
    [topic],
  );
}

/** Calls at once, and then at most once in `ms`, with the last call kept. */
export function useThrottled(call: () => void, ms: number): () => void {
  const latest = useRef(call);
  latest.current = call;
  const state = useRef<{ at: number; timer: ReturnType<typeof setTimeout> | undefined }>({
    at: 0,
    timer: undefined,
  });
  useEffect(() => () => clearTimeout(state.current.timer), []);
  return useCallback(() => {
    const { at, timer } = state.current;
    if (timer !== undefined) return;
    state.current.timer = setTimeout(
      () => {
        state.current = { at: Date.now(), timer: undefined };
        latest.current();
      },
      Math.max(0, at + ms - Date.now()),
    );
  }, [ms]);
}
