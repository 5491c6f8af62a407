import { promiseTable } from './table.ts';

await promiseTable('argocd');
