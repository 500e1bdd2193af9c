import type { ModuleLoader, ModuleLoading } from '../modules/load-module.ts';

/** A loader of workflows in code. It is loaded itself when the first one is. */
export function modulesOf(loading: ModuleLoading): ModuleLoader {
  let loader: Promise<ModuleLoader> | undefined;
  return {
    load: async (asked) => {
      loader ??= import('../modules/load-module.ts').then(({ createModuleLoader }) =>
        createModuleLoader(loading),
      );
      return (await loader).load(asked);
    },
  };
}
