import { GEMINI } from './clis.ts';
import { describeRealCli } from './suite.ts';

describeRealCli(GEMINI);
