/**
 * What the server answers at an address, kept up to date by the messages of a topic.
 *
 * U1 Every message, unless it says that the thing is gone, makes the page ask again. The last request starts after the last message, and a server that has announced something
 *    also answers it, so a message that overtakes an answer is never lost.
 * U2 Until then the message itself is applied, also on top of an answer that was being fetched when it came.
 * U3 Only the answer to the last request counts.
 * U4 A request that found no server is made again as soon as there is one.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { getJson, Refusal } from './api.ts';
import { connection, type LiveMessage, subscribe } from './live/stream.ts';

export interface Data<Value> {
  readonly value: Value | undefined;
  readonly problem: Refusal | undefined;
  again(): Promise<void>;
}

interface State<Value> {
  readonly path?: string;
  readonly value?: Value;
  readonly problem?: Refusal;
}

/** What a message says about the value; the value itself if it says nothing new. */
export type Apply<Value> = (value: Value, message: LiveMessage) => Value;

interface Asking<Value> extends Data<Value> {
  take(message: LiveMessage, apply: Apply<Value>): void;
}

/** What the server answers at this address, asked again when the address changes. */
export function useData<Value>(path: string | undefined): Data<Value> {
  return useAsked<Value>(path);
}

function useAsked<Value>(path: string | undefined): Asking<Value> {
  const [state, setState] = useState<State<Value>>({});
  const latest = useRef(0);
  const since = useRef<((value: Value) => Value)[]>([]);
  const again = useCallback(async () => {
    if (path === undefined) return;
    latest.current += 1;
    const mine = latest.current;
    since.current = [];
    try {
      let value: Value = await getJson<Value>(path);
      // U3
      if (mine !== latest.current) return;
      // U2
      for (const change of since.current) value = change(value);
      setState({ path, value });
    } catch (cause) {
      const problem = cause instanceof Refusal ? cause : new Refusal(0, String(cause));
      if (mine !== latest.current) return;
      setState((before) =>
        before.path === path && before.value !== undefined ? { ...before, problem } : { path, problem },
      );
    }
  }, [path]);
  useEffect(() => void again(), [again]);
  // U4
  const isLost = state.problem?.status === 0;
  useEffect(
    () => (isLost ? connection.subscribe((is) => (is === 'live' ? void again() : undefined)) : undefined),
    [isLost, again],
  );
  const take = useCallback((message: LiveMessage, apply: Apply<Value>) => {
    const change = (value: Value): Value => apply(value, message);
    since.current.push(change);
    setState((before) => {
      if (before.value === undefined) return before;
      const value = change(before.value);
      return value === before.value ? before : { ...before, value };
    });
  }, []);
  // While another address is asked for, what was shown stays.
  return { value: path === undefined ? undefined : state.value, problem: state.problem, again, take };
}

/** The same, kept up to date by the messages of a topic (U1). It is asked for at most once in `ms`. */
export function useLiveData<Value>(
  path: string | undefined,
  topic: string,
  { ms = 500, apply = (value) => value }: { readonly ms?: number; readonly apply?: Apply<Value> } = {},
): Data<Value> {
  const asked = useAsked<Value>(path);
  const isGone = useRef(false);
  const later = useThrottled(() => {
    if (!isGone.current) void asked.again();
  }, ms);
  useLive(topic, (message) => {
    // What is gone cannot be asked for: what was shown stays.
    isGone.current = message.gone === true;
    if (isGone.current) return;
    asked.take(message, apply);
    later();
  });
  return asked;
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
