import { freePorts } from '../../../../dev/controlplane/ports.ts';

/** For an operator whose charts a controller pulls from it, at the same address in each of its lives. */
export async function chartServerFlags(): Promise<readonly string[]> {
  const [port = 0] = await freePorts(1);
  const address = `127.0.0.1:${String(port)}`;
  return ['--charts-bind-address', address, '--charts-url', `http://${address}/charts`];
}
