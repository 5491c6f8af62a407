import { killCases } from './kill-cases.ts';

await killCases('flux');
