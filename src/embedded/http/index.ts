export { kubeconfigFor } from './kubeconfig.ts';
export { type ApiServer, startApiServer } from './server.ts';
