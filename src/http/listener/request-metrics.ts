import { Durations } from "../../domain/base/durations.ts";
import { Code } from "../../domain/base/errors.ts";

/** The protocol of a request; `endpoint` is a request to a fixed path, such as `/healthz`. */
export type RequestProtocol = "connect" | "endpoint" | "grpc" | "grpc-web" | "rest";

/** The method of a request that was rejected, or a preflight, before a method was found. */
export const UNKNOWN_METHOD = "unknown";

/** The requests for one method by one protocol. */
export class RequestSeries {
  readonly protocol: RequestProtocol;
  readonly method: string;
  /** By code, created on first use. */
  readonly #durations: (Durations | undefined)[] = new Array(Code.UNAUTHENTICATED + 1);

  constructor(protocol: RequestProtocol, method: string) {
    this.protocol = protocol;
    this.method = method;
  }

  /** Counts a request that took a time in milliseconds. */
  add(code: Code, ms: number): void {
    let durations = this.#durations[code];
    if (durations === undefined) {
      durations = new Durations();
      this.#durations[code] = durations;
    }
    durations.add(ms);
  }

  /** Lists the codes of the requests with their durations. */
  *list(): Generator<readonly [code: Code, durations: Durations]> {
    for (const [code, durations] of this.#durations.entries()) {
      if (durations !== undefined) yield [code as Code, durations];
    }
  }
}

/** Counts the requests of this process by protocol, method and code. */
export class RequestMetrics {
  readonly #series = new Map<string, RequestSeries>();

  /** Returns the series of a method that exists, or of the unknown one: no path of a client creates a series. */
  seriesOf(protocol: RequestProtocol, method: string): RequestSeries {
    const key = `${protocol} ${method}`;
    const known = this.#series.get(key) ?? new RequestSeries(protocol, method);
    this.#series.set(key, known);
    return known;
  }

  /** Lists the series that have been asked for. */
  list(): Iterable<RequestSeries> {
    return this.#series.values();
  }
}
