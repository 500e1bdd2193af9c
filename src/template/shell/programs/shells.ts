export const SHELLS: ReadonlySet<string> = new Set([
  ...['sh', 'bash', 'rbash', 'dash', 'ash', 'zsh', 'ksh', 'ksh93', 'mksh', 'pdksh', 'oksh', 'lksh', 'yash'],
  ...['posh', 'hush', 'fish', 'csh', 'tcsh', 'nu', 'xonsh', 'elvish'],
]);

/** Shells without POSIX quoting, for which no value can be quoted. */
export const FOREIGN_SHELLS: ReadonlySet<string> = new Set([
  ...['fish', 'csh', 'tcsh', 'nu', 'xonsh', 'elvish'],
]);
