import type { VerifiedViewer } from "../../auth/viewer-token.ts";
import { printWarnings, readWarnings, type Warning } from "../../domain/base/warnings.ts";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import { listedVisibilities, readableVisibilities } from "../../domain/content/visibility.ts";
import type { ProjectKey, ProjectKeyKind } from "../../storage/contract/access.ts";
import type { VisibilityScope } from "../../storage/contract/content-store.ts";
import type { ProjectReads } from "../reads/project-reads.ts";
import { Freshness } from "./cache-control.ts";
import {
  type IncomingCall,
  type ProjectCaller,
  type RequestInfo,
  readHeader,
} from "./incoming-call.ts";

/** A view of content that a caller with a preview key chooses. */
export interface View {
  /** The kind of key whose view the response has; absent: the caller's. */
  readonly audience?: ProjectKeyKind | undefined;
  /** The time of the response; absent: the time of the request. */
  readonly now?: Date | undefined;
  /** The country of the viewers; absent: the caller's. */
  readonly country?: string | undefined;
  /** Reads through releases; absent: the current version. */
  readonly reads?: ProjectReads | undefined;
}

/** A call of the Delivery API whose steps have run, as handlers receive it. */
export class DeliveryCall {
  /** The project key whose view the response has: the caller's, or the public one in a preview of its view. */
  readonly key: ProjectKey;
  /** True if the caller has a preview key. */
  readonly isPreview: boolean;
  /** The time of the response: the time of the request, or of the preview. */
  readonly now: Date;
  /** The country of the viewers of a preview; undefined: the caller's. */
  readonly previewCountry: string | undefined;
  /** The viewer of the token that replaces the key; undefined for a key. */
  readonly viewer: VerifiedViewer | undefined;
  readonly request: RequestInfo;
  /** Aborted when the client no longer waits for the response. */
  readonly signal: AbortSignal;
  /** The reads of the current version, or of a preview. */
  readonly reads: ProjectReads;
  /** The budget of all reads for the response. */
  readonly budget: WorkBudget;
  /** The limits on caching the response. */
  readonly freshness = new Freshness();
  readonly #incoming: IncomingCall;

  constructor(
    incoming: IncomingCall,
    { key, viewer }: ProjectCaller,
    { reads, budget }: { readonly reads: ProjectReads; readonly budget: WorkBudget },
    { audience, now, country, reads: previewed = reads }: View = {},
  ) {
    this.key = audience === undefined ? key : { ...key, kind: audience };
    this.isPreview = key.kind === "preview";
    this.now = now ?? incoming.request.now;
    this.previewCountry = country;
    this.viewer = viewer;
    this.request = incoming.request;
    this.signal = incoming.signal;
    this.reads = previewed;
    this.budget = budget;
    this.#incoming = incoming;
    if (viewer !== undefined) this.freshness.markPersonal();
  }

  /** The scope of lists. */
  get listed(): VisibilityScope {
    return this.#scope(listedVisibilities);
  }

  /** The scope of resources that are requested or referred to by their ids. */
  get readable(): VisibilityScope {
    return this.#scope(readableVisibilities);
  }

  #scope(visibilitiesOf: typeof listedVisibilities): VisibilityScope {
    const { freshness, now: time } = this;
    const { kind, projectId } = this.key;
    const limitUntil = (until: number) => freshness.limitUntil(until);
    const at = kind === "public" ? { time, limitUntil } : undefined;
    return { projectId, visibilities: visibilitiesOf(kind), at };
  }

  /** Returns a header of the request by its name in lower case; undefined if it was not sent. */
  readHeader(name: string): string | undefined {
    return readHeader(this.#incoming.headers, name);
  }

  /** Adds warnings about the request to the header `Marquee-Warnings`. */
  warn(warnings: readonly Warning[]): void {
    const { responseHeaders } = this.#incoming;
    const { "marquee-warnings": earlier = "[]" } = responseHeaders;
    const text = printWarnings([...readWarnings(String(earlier)), ...warnings]);
    if (text !== undefined) responseHeaders["marquee-warnings"] = text;
  }
}
