import type { Reader } from '../reader.ts';
import { ANSWERS } from './answers.ts';
import { DOCUMENTS } from './documents.ts';
import { PATTERNS } from './patterns.ts';
import { STREAMS } from './streams.ts';
import { VIEWS } from './views.ts';

export const READERS: readonly Reader[] = [...ANSWERS, ...STREAMS, ...DOCUMENTS, ...PATTERNS, ...VIEWS];
