/** The storage engines that tests can run on. */
const ENGINES = ["sqlite", "postgres"] as const;

export type EngineName = (typeof ENGINES)[number];

/** The storage engine that tests run on. */
export const ENGINE: EngineName = findEngine(process.env.MARQUEE_TEST_ENGINE ?? "sqlite");

function findEngine(name: string): EngineName {
  const engine = ENGINES.find((it) => it === name);
  if (engine !== undefined) return engine;
  throw new Error(`MARQUEE_TEST_ENGINE is '${name}', which is none of: ${ENGINES.join(", ")}`);
}
