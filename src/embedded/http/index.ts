export { kubeconfigFor } from './kubeconfig.ts';
export { type ApiServer, type ApiServerOptions, startApiServer } from './server.ts';
