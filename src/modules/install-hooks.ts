/** Installs the hooks, once per process: in this thread, or before Node 22.15 in one of their own. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Hooks, type OwnModules } from './hooks.ts';
import type { ThreadData } from './hooks-thread.ts';
import type { ImportGraph } from './import-graph.ts';
import { register, registerHooks } from './node-module.ts';

/** Brings the graph up to date. */
export type Catch = () => void;

export function installHooks(dist: string, graph: ImportGraph): Catch {
  const own = ownModules(dist);
  if (registerHooks !== undefined) {
    const hooks = new Hooks(own, (noted) => graph.note(noted));
    registerHooks({
      resolve: (specifier, context, next) => hooks.resolve(specifier, context, next),
      load: (url, context, next) => hooks.load(url, context, next),
    });
    return () => undefined;
  }
  const { MessageChannel, receiveMessageOnPort } = process.getBuiltinModule('node:worker_threads');
  const { port1, port2 } = new MessageChannel();
  register<ThreadData>(pathToFileURL(join(dist, 'hooks-thread.mjs')), {
    data: { own, port: port2 },
    transferList: [port2],
  });
  // What a thread sends arrives before its answer does.
  return () => {
    for (let got = receiveMessageOnPort(port1); got !== undefined; got = receiveMessageOnPort(port1))
      graph.note(got.message);
  };
}

/** By both names of the package. */
function ownModules(dist: string): OwnModules {
  const files = { '': 'sdk.mjs', '/testing': 'testing.mjs' };
  return Object.fromEntries(
    ['orchestrate-run', 'orchestrate'].flatMap((name) =>
      Object.entries(files).map(([path, file]) => [name + path, pathToFileURL(join(dist, file)).href]),
    ),
  );
}
