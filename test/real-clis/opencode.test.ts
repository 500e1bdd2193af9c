import { OPENCODE } from './clis.ts';
import { describeRealCli } from './suite.ts';

describeRealCli(OPENCODE);
