import type { JsonValue } from "@bufbuild/protobuf";
import { printEnum } from "../drawing/text.ts";

/** A small picture; nothing for a URL that is none. */
export function Thumbnail({ url }: { url: string }) {
  if (!/^https?:/.test(url)) return <span class="thumbnail" aria-hidden="true" />;
  return <img class="thumbnail" src={url} alt="" loading="lazy" decoding="async" />;
}

/** The visibility of a resource in a word, with a color. */
export function VisibilityMark({ value }: { value: JsonValue | undefined }) {
  const name = printEnum(String(value ?? ""), "VISIBILITY_");
  if (name === "" || name === "unspecified") return <span class="mark">not published</span>;
  return <span class={`mark ${name}`}>{name}</span>;
}
