import { QWEN } from './clis.ts';
import { describeRealCli } from './suite.ts';

describeRealCli(QWEN);
