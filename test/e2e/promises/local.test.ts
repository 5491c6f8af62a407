import { promiseTable } from './table.ts';

await promiseTable('helm', { local: true });
