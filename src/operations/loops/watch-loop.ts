/** What a view needs to show a running loop. */
export { type AgentCall, callOf, type LoopEvent, loopEventOf } from '../../iterate/events/loop-event.ts';
export { type LoopOutline, LoopTally } from '../../iterate/events/loop-tally.ts';
export type { IterateOutput as LoopOutput } from '../../iterate/input.ts';
export type { OutputLevel } from '../../iterate/mode.ts';
