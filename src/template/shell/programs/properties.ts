/** `-Dname=value` and `-Pname=value`: settings of a build or a virtual machine, most of which are data. */

/** Names of settings that select or run a program; a regular expression per family of programs. */
export const JAVA_RUNS =
  /^(?:java|javax|jdk|sun|com\.sun|jna|log4j|logback|logging|org\.|groovy|spring|loader|user\.home)/i;
export const BUILD_RUNS =
  /exec|command|cmd|args?(?:line)?$|jvm|java|class\.?path|agent|script|settings|init|plugin|repo|url|home|file$|dir(?:ectory)?$|ext\./i;
export const CMAKE_RUNS =
  /LAUNCHER|COMPILER|TOOLCHAIN|PROGRAM|COMMAND|EXECUTABLE|EMULATOR|_ROOT|_PREFIX_PATH|MODULE_PATH|INCLUDE$|INCLUDE_(?:BEFORE|AFTER)|PROJECT_.*INCLUDE|RULE|FLAGS|LINKER|_AR$|_CC$/i;

/** Whether the word sets a property by a known name that runs nothing. */
export function isProperty(runs: RegExp | undefined, text: string): boolean {
  const name = runs === undefined ? undefined : /^-[DP]([\w.:-]+)=/.exec(text)?.[1];
  return name !== undefined && runs?.test(name) === false;
}
