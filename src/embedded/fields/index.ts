export { type Applied, type ServerSideApply, serverSideApply } from './apply.ts';
export { keepTimes } from './keep-times.ts';
export { type TrackUpdate, trackUpdate, type Writer } from './update.ts';
export type { Convert, VersionedObject } from './versions.ts';
