/** The hooks in a thread of their own: for versions of Node before 22.15, which know only these. */
import type { MessagePort } from 'node:worker_threads';
import { Hooks, type Noted, type OwnModules } from './hooks.ts';
import type { LoadContext, Loaded, NextLoad, NextResolve, ResolveContext, Resolved } from './node-module.ts';

export interface ThreadData {
  readonly own: OwnModules;
  readonly port: MessagePort;
}

let hooks: Hooks;

export function initialize({ own, port }: ThreadData): void {
  hooks = new Hooks(own, (noted: Noted) => port.postMessage(noted));
}

export function resolve(
  specifier: string,
  context: ResolveContext,
  next: NextResolve<Promise<Resolved>>,
): Promise<Resolved> {
  return hooks.resolveLater(specifier, context, next);
}

export async function load(
  url: string,
  context: LoadContext,
  next: NextLoad<Promise<Loaded>>,
): Promise<Loaded> {
  return hooks.load(url, context, next);
}
