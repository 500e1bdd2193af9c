import { CODEX } from './clis.ts';
import { describeRealCli } from './suite.ts';

describeRealCli(CODEX);
