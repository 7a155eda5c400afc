import type { JsonObject } from "@bufbuild/protobuf";
import type { ComponentChildren } from "preact";
import { isObject } from "../../../src/domain/base/json.ts";
import { type OpenPage, useDrawing } from "./drawing.ts";
import type { ItemContent } from "./resolved.ts";
import { pick, printClosed, printEnum } from "./text.ts";

/** Matches a variable as an editor writes it, such as `{event.fields.season.id}`. */
const VARIABLE = /(\{[a-z_][\w.]*\})/i;

/** A text of a component, in the language of the page. Variables that the Delivery API did not replace are marked. */
export function Text({ of: value }: { of: unknown }) {
  // A split by a group has the variables at the odd places.
  const parts = pick(value, useDrawing().language).split(VARIABLE);
  return parts.map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part));
}

/** An image, or a color with the initials of its content. */
export function Art({
  title,
  url,
  content,
}: {
  title: string;
  url: string | undefined;
  content?: ItemContent | undefined;
}) {
  const hue = [...title].reduce((sum, it) => (sum * 31 + (it.codePointAt(0) ?? 0)) % 360, 7);
  return (
    <span class="art" aria-hidden="true" style={{ "--hue": String(hue) }}>
      <span>{shortName(title, content)}</span>
      {url?.startsWith("http") && (
        <img
          key={url}
          src={url}
          alt=""
          loading="lazy"
          decoding="async"
          onError={({ currentTarget }) => {
            currentTarget.hidden = true;
          }}
        />
      )}
    </span>
  );
}

/** Returns the codes of those who take part, such as `ESP – ARG`, or initials. */
function shortName(title: string, content: ItemContent | undefined): string {
  const fields = (content?.fields ?? {}) as JsonObject;
  const codes = [fields, ...Object.values(fields)].flatMap((it) =>
    isObject(it) && typeof it.code === "string" ? [it.code] : [],
  );
  if (codes.length > 0) return codes.slice(0, 2).join(" – ");
  const initials = title.split(/\s+/).map((word) => [...word][0] ?? "");
  return initials.slice(0, 3).join("").toUpperCase();
}

/** A link: a path opens a page of the preview, a URL leaves it; without either, there is no link. */
export function Anchor({
  link,
  open,
  children,
}: {
  link: string;
  open: OpenPage;
  children: ComponentChildren;
}) {
  if (!/^(?:\/(?![/\\])|https?:)/.test(link)) return <span class="link">{children}</span>;
  if (!link.startsWith("/")) {
    return (
      <a class="link" href={link} target="_blank" rel="noreferrer">
        {children}
      </a>
    );
  }
  const { pathname, searchParams } = new URL(link, location.origin);
  return (
    <a
      class="link"
      href={link}
      onClick={(event) => {
        event.preventDefault();
        open(pathname.slice(1), Object.fromEntries(searchParams));
      }}
    >
      {children}
    </a>
  );
}

/** A link to an element of this page. The fragment of the URL stays, because it contains the choices. */
export function Jump({ to, text, ...attributes }: { to: string; text: string; class?: string }) {
  return (
    <a
      {...attributes}
      href={`#${to}`}
      onClick={(event) => {
        event.preventDefault();
        const target = document.getElementById(to);
        target?.scrollIntoView();
        target?.focus();
      }}
    >
      {text}
    </a>
  );
}

/** Marks what a public key does not see at the time that is shown. */
export function Badge({
  of: { visibility, availability },
}: {
  of: { readonly visibility?: string; readonly availability?: unknown };
}) {
  const { now } = useDrawing();
  const reason =
    visibility === "VISIBILITY_PUBLISHED"
      ? printClosed(availability, now)
      : printEnum(visibility, "VISIBILITY_") || "not published";
  return reason === "" ? null : <span class="badge">{reason}</span>;
}

/** A sentence instead of content. */
export function Note({ children }: { children: ComponentChildren }) {
  return <p class="note">{children}</p>;
}

/** A list of terms with their descriptions; a term without one is omitted. */
export function Terms({
  entries,
}: {
  entries: readonly (readonly [term: string, description: ComponentChildren])[];
}) {
  const shown = entries.filter(
    ([, description]) => description !== "" && description !== undefined,
  );
  return (
    <dl>
      {shown.map(([term, description]) => [
        <dt key={`${term} term`}>{term}</dt>,
        <dd key={term}>{description}</dd>,
      ])}
    </dl>
  );
}

/** A table with a caption and a heading for each column. */
export function Table({
  caption,
  headings,
  rows,
}: {
  caption: string;
  headings: readonly string[];
  rows: readonly (readonly ComponentChildren[])[];
}) {
  return (
    <Scroller label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {headings.map((it) => (
              <th key={it} scope="col">
                {it}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={headings[column]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}

/** A list or a table that is scrolled sideways, with the arrow keys as well. */
export function Scroller({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is a group of controls
    <div class="scroll" tabIndex={0} role="group" aria-label={label}>
      {children}
    </div>
  );
}
