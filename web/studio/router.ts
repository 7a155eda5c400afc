import { useLayoutEffect, useState } from "preact/hooks";

/** A view, as the fragment of the URL names it: `#/worldcup/events/match-104?release=finals`. */
export interface Route {
  /** Empty: none is chosen. `-`: the first project that the credential opens. */
  readonly projectId: string;
  /** A section of the menu, such as `events`; empty: the home screen. */
  readonly section: string;
  /** The id of a resource of the section; empty: its list. */
  readonly id: string;
  /** Choices of the view, such as `filter`, and `release`, which every view keeps. A preview may have several releases. */
  readonly query: Readonly<Record<string, string>>;
}

/** Reads the view that a fragment names. */
function parseRoute(fragment: string): Route {
  const [path = "", query = ""] = fragment.replace(/^#\/?/, "").split("?");
  const [projectId = "", section = "", id = ""] = path.split("/").map(decode);
  return { projectId, section, id, query: Object.fromEntries(new URLSearchParams(query)) };
}

/** Decodes a part of a fragment; one that a person or a program has mangled stays as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Writes the fragment of a view. */
export function printRoute({ projectId, section, id, query }: Route): string {
  const path = [projectId, section, id].filter(Boolean).map(encodeURIComponent).join("/");
  const chosen = Object.entries(query).filter(([, value]) => value !== "");
  return `#/${path}${chosen.length > 0 ? `?${new URLSearchParams(chosen)}` : ""}`;
}

/** Returns the fragment of another view of the same project, seen through the same release: of several, the one on top. */
export function linkTo(route: Route, section: string, id = "", query: Route["query"] = {}): string {
  const release = route.query.release?.split(",").at(-1) ?? "";
  return printRoute({ projectId: route.projectId, section, id, query: { release, ...query } });
}

/** Returns the fragment of a view with some other choices. */
export function linkToChoices(route: Route, changes: Route["query"]): string {
  return printRoute({ ...route, query: { ...route.query, ...changes } });
}

/** Changes choices of the view of the URL. */
export function changeChoices(changes: Route["query"]): void {
  location.hash = linkToChoices(parseRoute(location.hash), changes);
}

/** Returns the view of the URL, and follows it from the moment that it is drawn. */
export function useRoute(): Route {
  const [fragment, setFragment] = useState(location.hash);
  useLayoutEffect(() => {
    const follow = () => setFragment(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return parseRoute(fragment);
}
