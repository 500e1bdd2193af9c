import { CLAUDE_325 } from './clis.ts';
import { describeRealCli } from './suite.ts';

describeRealCli(CLAUDE_325);
