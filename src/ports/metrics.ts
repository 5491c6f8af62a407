export interface PackageSample {
  readonly name: string;
  readonly ready: boolean;
  /** Applied version; absent while there is none. */
  readonly version?: string | undefined;
  /** Newest revision that was started. */
  readonly revision?: number | undefined;
}

export interface TurnSample {
  readonly result: 'settled' | 'again' | 'failed';
  readonly durationMs: number;
}

/** What is asked at the moment of a scrape. */
export interface LoadSample {
  /** Packages whose turn is due and has not begun. */
  readonly queued: number;
  /** Deliveries that run. */
  readonly delivering: number;
}

export interface MetricsPage {
  readonly contentType: string;
  readonly body: string;
}

/** Numbers for Prometheus. */
export interface Metrics {
  setPackage(sample: PackageSample): void;
  removePackage(name: string): void;
  countRevision(packageName: string, outcome: 'applied' | 'failed' | 'rolled_back'): void;
  observeTurn(turn: TurnSample): void;
  page(load: LoadSample): Promise<MetricsPage>;
}
