/** The most components of a page, clauses of a component and keys of a session. */
export const MOST = 100;

/** Makes a list. */
export const list = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
const map = <T>(count: number, make: (index: number) => T) =>
  Object.fromEntries(list(count, (index) => [`k${index}`, make(index)]));

/** Clauses by session key. */
export type Clauses = Readonly<Record<string, string>>;

/** Clauses of a component, and a session that makes their composition expensive. */
export interface Work {
  readonly clauses: Clauses;
  readonly session: object;
}

/** Work by its name. */
export const WORK: Readonly<Record<string, Work>> = {
  "a short clause for each key": {
    clauses: map(MOST, (it) => `f.n${it}: {k${it}}`),
    session: map(MOST, (it) => `v${it}`),
  },
  "lists that become more values than a filter holds": {
    clauses: map(MOST, (it) => `f.n${it}: {k${it}}`),
    session: map(MOST, () => list(9, String)),
  },
  "a list for each key that alone is almost too long": {
    clauses: map(MOST, () => "f: {k0} and g: {none}"),
    session: { k0: list(250, String) },
  },
  "clauses of many nodes": {
    clauses: map(MOST, () => `f: (${list(250, (it) => `x${it}`).join(" or ")}) and g: {none}`),
    session: { k0: 1 },
  },
  "one value of many placeholders": {
    clauses: map(MOST, () => `f: ${list(450, (it) => `{o.k${it}}`).join("")}`),
    session: { o: map(450, () => "") },
  },
  "a list in a value of many placeholders": {
    clauses: map(MOST, () => `f: ${list(450, () => "{k0}").join("")}`),
    session: { k0: list(16, () => "") },
  },
  "a long text in many places": {
    clauses: map(MOST, () => list(80, (it) => `f${it}: {k0}`).join(" and ")),
    session: { k0: '"'.repeat(60_000) },
  },
  "paths through a list": {
    clauses: map(MOST, () => list(80, (it) => `f: {o.m${it}}`).join(" and ")),
    session: { o: list(400, (it) => ({ [`m${it % 80}`]: it })) },
  },
};
