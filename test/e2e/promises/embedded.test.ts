import { promiseTable } from './table.ts';

await promiseTable('helm', { embedded: true });
