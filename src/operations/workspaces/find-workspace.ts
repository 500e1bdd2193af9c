/** Which workspace a command belongs to, for doors. */
export { workspaceFrom } from '../../store/find-workspace.ts';
