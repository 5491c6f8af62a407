/** Told of what clients of the served API do, by whoever has to know when nothing goes on any more. */
export interface Traffic {
  /** A request that is answered at once has come; gives back what to call when it has been answered. */
  requested(request: TrafficRequest): () => void;
  /** A change was stored, and its answer has not been sent yet: it goes out when this resolves. */
  written(request: TrafficRequest): Promise<void>;
  /** A watch, or a log that is followed, is open. */
  watched(request: TrafficRequest): WatchTraffic;
}

export interface TrafficRequest {
  /** `GET`, `POST`, … */
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly userAgent: string;
  /** Name of the object that a POST has made, which its path does not have. */
  readonly created?: string | undefined;
}

export interface WatchTraffic {
  /** Something was sent to the client. */
  readonly sent: () => void;
  readonly ended: () => void;
}
