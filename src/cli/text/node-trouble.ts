/** What the API server says when the node of a pod does not answer it. */
const KUBELET = /Get "https?:\/\/([^"/]+?)(?::\d+)?\/containerLogs\/[^"]*": (?:.*: )?([^:]+)$/;

/** `node worker-1 does not answer: no such host` instead of the whole request and where its name was looked up. */
export function nodeTrouble(text: string): string {
  return text.replace(KUBELET, 'node $1 does not answer: $2');
}
