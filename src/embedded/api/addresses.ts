/** Of the range 10.96.0.0/16, as kubeadm has it; the first one is that of the API itself. */
const BLOCK = [10, 96] as const;
const FIRST_PORT = 30_000;
const LAST_PORT = 32_767;

/** The addresses and node ports that Services have. */
export class Addresses {
  readonly #ips = new Set<string>();
  readonly #ports = new Set<number>();
  #nextIp = 2;

  /** Why a Service cannot have this one. */
  problemOf(ip: string): string | undefined {
    if (!ip.startsWith(`${BLOCK.join('.')}.`)) return 'the provided network does not match the current range';
    return this.#ips.has(ip) ? 'provided IP is already allocated' : undefined;
  }

  isPortTaken(port: number): boolean {
    return this.#ports.has(port);
  }

  /** One that is free; it is so until it is claimed. */
  freeIp(): string {
    while (this.#ips.has(ipAt(this.#nextIp))) this.#nextIp = (this.#nextIp + 1) % 0xffff;
    return ipAt(this.#nextIp);
  }

  freePort(beside: readonly number[]): number {
    let port = FIRST_PORT;
    while (port < LAST_PORT && (this.#ports.has(port) || beside.includes(port))) port += 1;
    return port;
  }

  claim(ips: readonly string[], ports: readonly number[]): void {
    for (const ip of ips) this.#ips.add(ip);
    for (const port of ports) this.#ports.add(port);
  }

  release(ips: readonly string[], ports: readonly number[]): void {
    for (const ip of ips) this.#ips.delete(ip);
    for (const port of ports) this.#ports.delete(port);
  }
}

function ipAt(index: number): string {
  return [...BLOCK, index >> 8, index & 0xff].join('.');
}
