/** A deliberate difference: cases where a rule of the design asks for another verdict than the strictest of the others. */
export interface ReadinessDifference {
  /** Number in section 4 of the design. */
  readonly rule: number;
  readonly title: string;
  readonly why: string;
  /** Names of the golden rows. */
  readonly rows: readonly string[];
}

export const READINESS_DIFFERENCES: readonly ReadinessDifference[] = [
  {
    rule: 1,
    title: 'evidence is newer than the change',
    why: 'A condition that names the generation it is about is not believed about a later one.',
    rows: ['custom/observed nested in condition, lagging'],
  },
  {
    rule: 1,
    title: 'a generation may be written as text',
    why: 'Some controllers, Argo Rollouts among them, write `observedGeneration` as a string. The number is there, and is compared.',
    rows: [
      'deployment/observedGeneration is a string',
      'custom/observed string equal',
      'custom/observed string lagging',
      'custom/rollout paused',
    ],
  },
  {
    rule: 2,
    title: "a Job's conditions decide, never its counters",
    why: 'Counters pass through any value on the way to either end, and a success policy completes a Job early.',
    rows: [
      'job/SuccessPolicy complete with fewer completions',
      'job/backoffLimit 0, 1 failed, no condition',
      'job/backoffLimit 0, 7 failed, no condition',
      'job/backoffLimit 1, 2 failed, no condition',
      'job/backoffLimit 1, 7 failed, no condition',
    ],
  },
  {
    rule: 3,
    title: 'a paused Deployment is ready, with a note',
    why: 'Nobody but its owner can let it go on, so waiting for it would only end at the deadline.',
    rows: [
      'deployment/paused, healthy',
      'deployment/paused, healthy, old progressing condition',
      'deployment/paused when created',
      'deployment/paused mid rollout',
    ],
  },
  {
    rule: 3,
    title: 'a Deployment with replicas 0 is ready once it is observed and no pods are left',
    why: 'The conditions about availability say nothing of a Deployment that wants no pods.',
    rows: ['deployment/replicas 0, only observedGeneration'],
  },
  {
    rule: 3,
    title: "a Deployment's own counts decide",
    why: 'Its controller counts updated, available and old replicas for the observed generation; guessing which replica set is the newest from outside adds nothing.',
    rows: [
      'deployment/replica set not observed',
      'deployment/replica set has another template',
      'deployment/replica set has another owner',
      'deployment/replica set without owner',
      'deployment/replica set labels do not match',
      'deployment/two replica sets with the same template',
    ],
  },
  {
    rule: 4,
    title: 'with OnDelete, nobody waits for a replacement',
    why: 'Old pods are replaced when somebody deletes them; until then ready ones are enough.',
    rows: ['daemonset/OnDelete, none updated'],
  },
  {
    rule: 5,
    title: 'a Pod has failed when its phase says so, and is done when it succeeded',
    why: 'A container that crashes is started again, often only until what it needs is there; the message names it, and the deadline ends the wait.',
    rows: [
      'pod/crash looping',
      'pod/two containers, one crash loops',
      'pod/two containers crash loop',
      'pod/succeeded',
    ],
  },
  {
    rule: 5,
    title: 'the cluster IP of a LoadBalancer is enough unless an address is asked for',
    why: 'On many clusters nothing ever gives it an address. `install.readiness.loadBalancer: Address` asks for one.',
    rows: [
      'service/load balancer, no ingress',
      'service/load balancer, no status',
      'service/load balancer, loadBalancerClass, no ingress',
    ],
  },
  {
    rule: 6,
    title: 'an APIService has to be available',
    why: 'Until then its API answers nothing.',
    rows: ['apiservice/not available', 'apiservice/no status'],
  },
  {
    rule: 8,
    title: 'only an exact match passes, and all entries are judged on one snapshot',
    why: 'A status that is not exactly `True` is not True, two conditions of one type must agree, and the order of conditions means nothing.',
    rows: [
      'custom/ready lower case true',
      'custom/ready empty status',
      'custom/ready true twice differing',
      'crd/established first, then names not accepted',
    ],
  },
  {
    rule: 11,
    title: 'the trouble of one pod is the cause that the message names, not a failure of its workload',
    why: 'A pod that cannot be scheduled or crashes is progress until the deadline: nodes are added, and what it waits for appears.',
    rows: [
      'statefulset/unschedulable pod, old',
      'statefulset/crash looping pod',
      'statefulset/crash looping and unschedulable pod',
      'statefulset/crash looping pod, spec not observed',
      'replicaset/one pod unschedulable',
    ],
  },
];
