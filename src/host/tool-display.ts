/** Shows tool calls of an agent on a terminal. */
export { createToolDisplay } from '../agents/tool-display.ts';
