import { type Sample as ResourceBody, sampleOf } from "../../tools/openapi/example.ts";
import { findMethods, type JsonMessage } from "./methods.ts";

export type { ResourceBody };

/** A body of every resource that can be made, by the service that makes it. */
export const resourceBodies: Readonly<Record<string, ResourceBody>> = Object.fromEntries(
  (await findMethods())
    .filter(({ name, parent }) => name.startsWith("Create") && sampleOf(parent) !== undefined)
    .map(({ parent }) => [parent.typeName, sampleOf(parent) as ResourceBody]),
);

/** Returns the parent that a resource lies in, as its list asks for it. */
export function parentOf({ resource, extra }: ResourceBody): JsonMessage {
  const fields: JsonMessage = { ...extra, ...resource };
  const parents = ["pageId", "projectId", "organizationId", "accountId"];
  return Object.fromEntries(
    parents.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])).slice(0, 1),
  );
}
