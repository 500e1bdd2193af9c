export const SHELLS: ReadonlySet<string> = new Set([
  ...['sh', 'bash', 'rbash', 'dash', 'ash', 'zsh', 'ksh', 'ksh93', 'mksh', 'pdksh', 'oksh', 'lksh', 'yash'],
  ...['posh', 'hush', 'fish', 'csh', 'tcsh', 'nu', 'xonsh', 'elvish'],
]);

/** Shells whose quoting is not that of POSIX: no value can be quoted for them here. */
export const FOREIGN_SHELLS: ReadonlySet<string> = new Set([
  ...['fish', 'csh', 'tcsh', 'nu', 'xonsh', 'elvish'],
]);
