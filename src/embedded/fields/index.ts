export { serverSideApply } from './apply.ts';
export { keepTimes } from './keep-times.ts';
export { objectText, typeText } from './object-text.ts';
export { trackScale } from './scale-owners.ts';
export { trackUpdate, type Writer } from './update.ts';
export type { Convert } from './versions.ts';
