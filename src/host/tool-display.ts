/** What an agent does with its tools, for a terminal. */
export { createToolDisplay } from '../agents/tool-display.ts';
