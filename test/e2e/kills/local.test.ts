import { killCases } from './kill-cases.ts';

await killCases('helm', { local: true });
