/** Whether a workflow is written in TypeScript or JavaScript, by its name. All others are YAML. */
export function isModuleFile(file: string): boolean {
  return /\.m?[jt]s$/.test(file);
}
