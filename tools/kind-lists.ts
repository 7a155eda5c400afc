/**
 * Writes the lists of kinds in the pages of `docs/`: part of `npm run generate`. A test compares them.
 *
 * @module
 */
import { readFileSync, writeFileSync } from "node:fs";
import { isWritable } from "../src/api/studio/record-writer.ts";
import { listAnnouncedKinds } from "../src/domain/kinds.ts";
import { RECORD_KINDS } from "../src/domain/records/record.ts";

/** A list of kinds in a page. */
interface KindList {
  readonly page: string;
  /** Matches the list, between the texts before and after it. */
  readonly pattern: RegExp;
  readonly kinds: readonly string[];
  /** The text before the last kind. Default: a comma. */
  readonly last?: string;
}

/** The lists of kinds in pages, by the subject of each. */
export const KIND_LISTS: Readonly<Record<string, KindList>> = {
  "a record": {
    page: "docs/transfer.md",
    pattern: /(?<=Its one member is the kind:\n)[^.]+(?=\.)/,
    kinds: RECORD_KINDS,
    last: " or ",
  },
  WriteRecords: {
    page: "docs/contract/studio.md",
    pattern: /(?<=^\| kinds \| ).+(?= \()/m,
    kinds: RECORD_KINDS.filter(isWritable),
  },
  "a webhook": {
    page: "docs/webhooks.md",
    pattern: /(?<=^\| `kinds` \| )[^|]+(?= \|)/m,
    kinds: listAnnouncedKinds(),
  },
};

/** Returns a list as its page has it. */
export function printList({ kinds, last = ", " }: KindList): string {
  const names = kinds.map((it) => `\`${it}\``);
  return [names.slice(0, -1).join(", "), names.at(-1)].join(last);
}

if (import.meta.main) {
  for (const list of Object.values(KIND_LISTS)) {
    const text = readFileSync(list.page, "utf8");
    writeFileSync(list.page, text.replace(list.pattern, printList(list)));
  }
}
