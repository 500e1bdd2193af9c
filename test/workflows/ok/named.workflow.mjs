import { workflow } from 'orchestrate-run';

export default workflow({ name: 'named', run: async () => ({}) });
