export { serverSideApply } from './apply.ts';
export { keepTimes } from './keep-times.ts';
export { trackUpdate, type Writer } from './update.ts';
export type { Convert } from './versions.ts';
