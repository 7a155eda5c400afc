import { Durations } from "../../domain/durations.ts";
import { Code } from "../../domain/errors.ts";

/** How a request was made; `endpoint` is one to a fixed path, such as that of health. */
export type Face = "connect" | "endpoint" | "grpc" | "grpc-web" | "rest";

/** The method of a request that was refused, or a preflight, before a method was found. */
export const UNKNOWN_METHOD = "unknown";

/** The requests for one method by one face. */
export class RequestSeries {
  readonly face: Face;
  readonly method: string;
  /** By code, created on first use. */
  readonly #durations: (Durations | undefined)[] = new Array(Code.UNAUTHENTICATED + 1);

  constructor(face: Face, method: string) {
    this.face = face;
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

/** Counts the requests of this process by face, method and code. */
export class RequestMetrics {
  readonly #series = new Map<string, RequestSeries>();

  /** Returns the series of a method that exists, or of the unknown one: no path of a client creates a series. */
  seriesOf(face: Face, method: string): RequestSeries {
    const key = `${face} ${method}`;
    const known = this.#series.get(key) ?? new RequestSeries(face, method);
    this.#series.set(key, known);
    return known;
  }

  /** Lists the series that have been asked for. */
  list(): Iterable<RequestSeries> {
    return this.#series.values();
  }
}

/** What is counted of one request, as it becomes known. */
export class RequestOutcome {
  readonly #requests: RequestMetrics;
  /** The series of its method; undefined while that is unknown. */
  series: RequestSeries | undefined;
  /** Whether its answer came from the cache; undefined if it was not asked. */
  isCached: boolean | undefined;
  /** The code of its answer. */
  code: Code = Code.OK;

  constructor(requests: RequestMetrics) {
    this.#requests = requests;
  }

  /** Records the method that it calls. */
  setMethod(face: Face, method: string): void {
    this.series = this.#requests.seriesOf(face, method);
  }
}
