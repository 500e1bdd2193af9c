import { CLAUDE_197 } from './clis.ts';
import { describeRealCli } from './suite.ts';

describeRealCli(CLAUDE_197);
