import { COPILOT } from './clis.ts';
import { describeRealCli } from './suite.ts';

describeRealCli(COPILOT);
