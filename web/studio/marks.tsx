import type { JsonValue } from "@bufbuild/protobuf";
import { printClosed, printEnum } from "./drawing/text.ts";

interface Shown {
  readonly visibility?: JsonValue | undefined;
  readonly availability?: unknown;
}

/** A small picture; nothing for a URL that is none. */
export function Thumbnail({ url }: { url: string }) {
  if (!/^https?:/.test(url)) return <span class="thumbnail" aria-hidden="true" />;
  return (
    <img
      class="thumbnail"
      src={url}
      alt=""
      loading="lazy"
      decoding="async"
      onError={(event) => event.currentTarget.classList.add("unseen")}
    />
  );
}

/** Whether viewers see a resource now, in a word with a color. */
export function VisibilityMark({ of: { visibility, availability } }: { of: Shown }) {
  const name = printEnum(String(visibility ?? ""), "VISIBILITY_");
  if (name === "" || name === "unspecified") return <span class="mark">not published</span>;
  const closed = name === "published" && printClosed(availability, Date.now());
  return <span class={`mark ${closed ? "" : name}`}>{closed || name}</span>;
}
