import type { DescMethod } from "@bufbuild/protobuf";
import { invalidField } from "../../domain/base/field-errors.ts";
import { listNearNames } from "../../domain/base/text.ts";
import { type Binding, fullName, readBindings } from "./binding.ts";

/** The decoded values of a path's variables, by the proto name of the field that each fills. */
export type PathValues = ReadonlyMap<string, string>;

/** The result of a lookup; `allow` lists the methods of the path, sorted. */
export type RouteResult =
  | { readonly kind: "match"; readonly binding: Binding; readonly variables: PathValues }
  | { readonly kind: "not_found" }
  | { readonly kind: "method_not_allowed"; readonly allow: readonly string[] };

/** The bindings of one template shape, by HTTP method. */
type Target = Map<string, Binding>;

/** A node of the trie; targets are keyed by verb, which may be empty. */
interface Node {
  readonly literals: Map<string, Node>;
  any: Node | undefined;
  readonly targets: Map<string, Target>;
}

function createNode(): Node {
  return { literals: new Map(), any: undefined, targets: new Map() };
}

/** Finds the binding for an HTTP request. */
export class Router {
  readonly #root = createNode();

  /**
   * Adds a route for every method that has google.api.http. Throws an Error with the method's full
   * name for an invalid rule and for two routes that match the same requests.
   */
  constructor(methods: readonly DescMethod[]) {
    for (const method of methods) for (const binding of readBindings(method)) this.#add(binding);
  }

  #add(binding: Binding): void {
    let node = this.#root;
    for (const segment of binding.template.segments) {
      if (segment.kind === "literal") {
        node = getOrSet(node.literals, segment.value, createNode);
      } else {
        node.any ??= createNode();
        node = node.any;
      }
    }
    const target = getOrSet(node.targets, binding.template.verb, (): Target => new Map());
    const other = target.get(binding.httpMethod);
    if (other !== undefined) {
      const route = `${binding.httpMethod} ${binding.template.text}`;
      throw new Error(
        `${fullName(binding.method)}: ${route} is already a route of ${fullName(other.method)}`,
      );
    }
    target.set(binding.httpMethod, binding);
  }

  /**
   * Looks up a method, case-sensitively, and a path, still percent-encoded and without the query.
   * A literal beats a variable; if the best match lacks the method, the next one is tried. Throws
   * PATH_MALFORMED for a variable that is not percent-encoded UTF-8.
   */
  route(httpMethod: string, rawPath: string): RouteResult {
    const segments = splitPath(rawPath);
    if (segments === undefined) {
      return { kind: "not_found" };
    }
    const allow = new Set<string>();
    const accept = (target: Target): Binding | undefined => {
      const binding = target.get(httpMethod);
      if (binding === undefined) {
        for (const other of target.keys()) {
          allow.add(other);
          if (other === "GET") allow.add("HEAD");
        }
      }
      return binding;
    };
    const withVerb = cutVerb(segments);
    for (const path of [...(withVerb ? [withVerb] : []), { segments, verb: "" }]) {
      const binding = find(this.#root, path.segments, 0, path.verb, accept);
      if (binding === undefined) continue;
      return { kind: "match", binding, variables: readVariables(binding, path.segments) };
    }
    return allow.size === 0
      ? { kind: "not_found" }
      : { kind: "method_not_allowed", allow: [...allow].sort() };
  }

  /**
   * Returns the path of a route near a path that has none, whose variables stay, with the version that it may lack; undefined if
   * there is none.
   */
  suggest(rawPath: string): string | undefined {
    const { node, names, verb } = this.#findNear(rawPath) ?? {};
    if (node === undefined || names === undefined) return undefined;
    const [near] = listNearNames(verb ?? "", node.targets.keys());
    const [version = ""] = node.targets.size === 0 ? node.literals.keys() : [];
    const path = ["", ...names, ...(VERSION.test(version) ? [version] : [])].join("/");
    if (near === undefined) return path === rawPath || version === "" ? undefined : path;
    return near === "" ? path : `${path}:${near}`;
  }

  /** Lists the verbs that a path may end with. */
  listVerbs(rawPath: string): readonly string[] {
    const verbs = this.#findNear(rawPath)?.node.targets.keys() ?? [];
    return [...verbs].filter((verb) => verb !== "");
  }

  /** Finds the node that the names of a path lead to, or those nearest to them. */
  #findNear(rawPath: string) {
    const segments = rawPath.split("/").filter((segment) => segment !== "");
    const { segments: given, verb } = cutVerb(segments) ?? { segments, verb: "" };
    const names: string[] = [];
    let node = this.#root;
    for (const name of given) {
      // A known name is the nearest.
      const [literal] = listNearNames(name.toLowerCase(), node.literals.keys());
      const next = literal === undefined ? node.any : node.literals.get(literal);
      if (next === undefined) return undefined;
      names.push(literal ?? name);
      node = next;
    }
    return { node, names, verb };
  }
}

const VERSION = /^v\d+$/;

function getOrSet<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

/** Returns the segments of a path that starts with a slash and has no empty segment. */
function splitPath(rawPath: string): string[] | undefined {
  const [first, ...segments] = rawPath.split("/");
  return first === "" && segments.length > 0 && !segments.includes("") ? segments : undefined;
}

/** Splits the last segment at its last colon if there is text on both sides. */
function cutVerb(
  segments: readonly string[],
): { readonly segments: readonly string[]; readonly verb: string } | undefined {
  const last = segments.at(-1) ?? "";
  const colon = last.lastIndexOf(":");
  const verb = decodePercent(last.slice(colon + 1));
  if (colon < 1 || verb === undefined || verb === "") return undefined;
  return { segments: segments.with(-1, last.slice(0, colon)), verb };
}

/** Walks the trie, best matches first, until `accept` returns a binding. */
function find(
  node: Node,
  segments: readonly string[],
  index: number,
  verb: string,
  accept: (target: Target) => Binding | undefined,
): Binding | undefined {
  const segment = segments[index];
  if (segment === undefined) {
    const target = node.targets.get(verb);
    return target && accept(target);
  }
  const text = decodePercent(segment);
  const literal = text === undefined ? undefined : node.literals.get(text);
  return (
    (literal && find(literal, segments, index + 1, verb, accept)) ??
    (node.any && find(node.any, segments, index + 1, verb, accept))
  );
}

function readVariables(binding: Binding, segments: readonly string[]): PathValues {
  const values = new Map<string, string>();
  for (const { name, start, end } of binding.variables) {
    const raw = segments.slice(start, end).join("/");
    // In several segments, an encoded slash is data.
    const value = end - start > 1 ? decodePercentExceptSlash(raw) : decodePercent(raw);
    if (value === undefined) {
      const description = "the value in the path is not percent-encoded UTF-8";
      throw invalidField(name, "PATH_MALFORMED", description);
    }
    values.set(name, value);
  }
  return values;
}

/** Decodes every percent escape of a text; undefined for a malformed escape or invalid UTF-8. */
export function decodePercent(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Decodes like {@link decodePercent}, except that `%2F` and `%2f` stay encoded. */
function decodePercentExceptSlash(text: string): string | undefined {
  const parts = text.split(/(%2f)/i).map((part, at) => (at % 2 === 1 ? part : decodePercent(part)));
  return parts.includes(undefined) ? undefined : parts.join("");
}
