import { create, type DescMessage } from "@bufbuild/protobuf";
import { DomainError } from "../../../src/domain/errors.ts";
import type { Documents } from "../../../src/storage/document-store.ts";
import type { Marquee } from "../../harness/marquee.ts";
import type { JsonMessage } from "../methods.ts";

/** A document of a type that is there again whenever a message is asked for; nothing else needs it. */
export function deletable(
  type: "banner_collection" | "creative_work" | "entity" | "event" | "page" | "video",
  schema: DescMessage,
  fields: JsonMessage = {},
): (marquee: Marquee) => Promise<JsonMessage> {
  const id = `deletable-${type}`;
  const value = create(schema, { id, projectId: "worldcup", ...fields } as never);
  return async ({ store }) => {
    await store
      .in("org-worldcup")
      .documents[type].create(value as never)
      .catch(allowExisting);
    return { [`${toCamelCase(type)}Id`]: id };
  };
}

/** Lets it be that something is there already. */
export function allowExisting(fault: unknown): void {
  if (!(fault instanceof DomainError) || fault.reason !== "ALREADY_EXISTS") throw fault;
}

function toCamelCase(name: keyof Documents): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
