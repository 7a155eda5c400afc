import type { JsonObject } from "@bufbuild/protobuf";

/** The platforms that components can be restricted to. */
export const ENVIRONMENTS = ["web", "ios", "android", "tvos", "lg", "samsung", "androidtv"];

/** What is previewed, and as whom. */
export interface Choices {
  readonly slug: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Empty: components for every platform. */
  readonly environment: string;
  /** A tag such as `en`. */
  readonly language: string;
  /** ISO 3166-1 alpha-2; empty: the country of this machine. */
  readonly country: string;
  readonly session: JsonObject;
  /** Ids of the releases that are shown, later ones on top. */
  readonly releases: readonly string[];
  /** The moment that is shown: a local time such as `2026-06-20T18:00`; empty: now. */
  readonly moment: string;
  readonly viewer: Viewer;
}

/** The choices that headers carry. */
export type HeaderChoices = Pick<Choices, "country" | "releases" | "moment">;

/** The viewer of playback decisions. */
export interface Viewer {
  /** Empty: not signed in. */
  readonly userId: string;
  readonly vpn: boolean;
  /** Empty: none. */
  readonly referrer: string;
  /** A local time such as `2026-06-20T18:00`; empty: the moment that is shown. */
  readonly time: string;
}

/** The choices at the start. */
export const START: Choices = {
  slug: "home",
  parameters: {},
  environment: "",
  language: "en",
  country: "",
  session: {},
  releases: [],
  moment: "",
  viewer: { userId: "", vpn: false, referrer: "", time: "" },
};

/** Reads choices from the fragment of a URL; malformed choices get their defaults. */
export function parseChoices(hash: string): Choices {
  try {
    const stored: unknown = JSON.parse(decodeURIComponent(hash.slice(1)));
    if (typeof stored !== "object" || stored === null) return START;
    const { viewer, ...rest } = stored as Partial<Choices>;
    return { ...START, ...rest, viewer: { ...START.viewer, ...viewer } };
  } catch {
    return START;
  }
}

/** Writes choices as the fragment of a URL. */
export function printChoices(choices: Choices): string {
  return `#${encodeURIComponent(JSON.stringify(choices))}`;
}

/** Reports whether something else than the current version is shown. */
export function isAhead({ releases, moment }: Pick<Choices, "releases" | "moment">): boolean {
  return releases.length > 0 || moment !== "";
}
