/** Whether a workflow is written in TypeScript or JavaScript, by its name. All others are YAML. */
export function isModuleFile(file: string): boolean {
  return /\.m?[jt]s$/.test(file);
}

/** How a workflow in code is recognised among other files. */
export const CODE_FILE = /\.workflow\.m?[jt]s$/;
