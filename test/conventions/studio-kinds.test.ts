import { expect, test } from "vitest";
import { COMPONENT, KINDS } from "../../web/studio/kinds.ts";
import { findMethods, procedureOf } from "../api/methods.ts";

const procedures = (await findMethods()).map(procedureOf);
const ofStudio = procedures.filter((it) => it.startsWith("svc.studio."));
const names = new Set(ofStudio.map((it) => it.slice(it.indexOf("/") + 1)));

/** The methods that kinds do not have: a purchase and the access that it gives do not change by a form. */
const MISSING: Readonly<Record<string, readonly string[]>> = {
  transaction: ["UpdateTransaction", "DeleteTransaction"],
  entitlement: ["UpdateEntitlement"],
};

test.each([...KINDS, COMPONENT])("the studio calls methods of $name that exist", (kind) => {
  const [one, many] = kind.methods;
  const called = [`List${many}`, `Get${one}`, `Create${one}`, `Update${one}`, `Delete${one}`];
  expect(called.filter((it) => !names.has(it))).toEqual(MISSING[kind.name] ?? []);
  if (kind.delivered !== undefined) expect(procedures).toContain(kind.delivered);
});
