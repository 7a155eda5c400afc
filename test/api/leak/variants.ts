/** The project that callers have a key of, and another one of the same organization. */
export const PROJECT = "alpha";
export const OTHER_PROJECT = "beta";

/** The user who has bought something: what is published, and something in the other project. */
export const VIEWER = "viewer-1";

/** A kind of resource that a caller may not see, by what the ids of its resources hold. */
export type VariantName = "hidden" | "unspecified" | "unlisted" | "foreign" | "ended" | "coming";

/** The marks of a variant's resources. */
export interface Variant {
  readonly name: VariantName;
  /** A word that is in each of their texts, and nowhere else. */
  readonly word: string;
  /** The name of the enum's value. */
  readonly visibility: string;
  readonly projectId: string;
  /** The window; absent: always. */
  readonly availability?: Readonly<Record<string, string>>;
}

/** The variants; the unlisted ones are kept from lists only. */
export const VARIANTS: Readonly<Record<VariantName, Variant>> = {
  hidden: {
    name: "hidden",
    word: "xylotorc",
    visibility: "VISIBILITY_HIDDEN",
    projectId: PROJECT,
  },
  unspecified: {
    name: "unspecified",
    word: "xylopent",
    visibility: "VISIBILITY_UNSPECIFIED",
    projectId: PROJECT,
  },
  unlisted: {
    name: "unlisted",
    word: "xylocark",
    visibility: "VISIBILITY_UNLISTED",
    projectId: PROJECT,
  },
  foreign: {
    name: "foreign",
    word: "xylomarb",
    visibility: "VISIBILITY_PUBLISHED",
    projectId: OTHER_PROJECT,
  },
  ended: {
    name: "ended",
    word: "xylogone",
    visibility: "VISIBILITY_PUBLISHED",
    projectId: PROJECT,
    availability: { endTime: "2026-03-10T12:00:00Z" },
  },
  coming: {
    name: "coming",
    word: "xylosoon",
    visibility: "VISIBILITY_PUBLISHED",
    projectId: PROJECT,
    availability: { startTime: "2026-04-01T00:00:00Z" },
  },
};

/** The word in what delivery never shows, such as transactions. */
export const INTERNAL_WORD = "xyloturf";

/** Every word that is kept from somebody. */
export const WORDS: readonly string[] = [
  ...Object.values(VARIANTS).map(({ word }) => word),
  INTERNAL_WORD,
];

/** What published things refer to: each variant, and what exists in no dataset. */
export const TARGETS = [...(Object.keys(VARIANTS) as VariantName[]), "missing"] as const;

/** Finds the words that a text holds as they are or in base64, as page tokens and details are. */
export function findWords(text: string): string[] {
  const lower = text.toLowerCase();
  return WORDS.filter(
    (word) => lower.includes(word) || toBase64Cores(word).some((core) => text.includes(core)),
  );
}

/** Writes a word in base64 as it looks inside a longer text, at each of the three places. */
function toBase64Cores(word: string): string[] {
  return [0, 1, 2].map((before) => {
    const bytes = Buffer.from("\0".repeat(before) + word);
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor((bytes.length * 8) / 6);
    return bytes.toString("base64").slice(first, last);
  });
}
