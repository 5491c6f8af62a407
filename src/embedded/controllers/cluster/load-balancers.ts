import type { Scenario } from '../../scenario/types.ts';
import { changesOf, type Controller, lookUp, type Surroundings } from '../kit/controller.ts';
import { createHand } from '../kit/hand.ts';
import { SERVICES } from '../kit/kinds.ts';
import { createdAt, isDeleting, mapAt, mapsAt, textAt } from '../kit/read.ts';

const COMPONENT = 'service-controller';

/** Gives Services of type LoadBalancer an address outside of the cluster, after the time of the scenario. */
export function loadBalancerController(
  { api, clock, informers, recorder }: Surroundings,
  scenario: () => Scenario,
): Controller {
  const hand = createHand(api, 'cloud-controller-manager');
  const tell = recorder.by(COMPONENT);
  const services = informers.of(SERVICES);
  return {
    name: COMPONENT,
    sources: [changesOf(SERVICES)],
    reconcile(key) {
      const service = lookUp(services, key);
      const after = scenario().loadBalancersAfter;
      if (service === undefined || isDeleting(service) || after === undefined) return undefined;
      const hasAddress = mapsAt(service, 'status', 'loadBalancer', 'ingress').length > 0;
      if (textAt(service, 'spec', 'type') !== 'LoadBalancer' || hasAddress) return undefined;
      const left = createdAt(service) + after - clock.now();
      if (left > 0) return left;
      const ip = textAt(service, 'spec', 'clusterIP').replace(/^10\.96\./, '198.18.');
      const status = { ...mapAt(service, 'status'), loadBalancer: { ingress: [{ ip, ipMode: 'VIP' }] } };
      const written = hand.writeStatus(SERVICES, service, status);
      tell(written, { type: 'Normal', reason: 'EnsuredLoadBalancer', message: 'Ensured load balancer' });
      return undefined;
    },
  };
}
