import { Code, DomainError } from "./errors.ts";
import { clip } from "./text.ts";

/** A parsed resource key (contract: access 7). */
export interface ResourceKey {
  readonly type: string;
  readonly id: string;
  /** Absent on an organization; on a project its own id. */
  readonly projectId?: string;
}

/**
 * Parses `<organization_id>/organization` or `<resource_id>/<project_id>/<resource_type>`.
 * INVALID_ARGUMENT `RESOURCE_KEY_MALFORMED` for any other form, including a project whose two ids differ.
 */
export function parseResourceKey(text: string): ResourceKey {
  const parts = text.split("/");
  const [id = "", second = "", type = ""] = parts;
  if (parts.every((part) => part !== "")) {
    if (parts.length === 2 && second === "organization") return { type: "organization", id };
    if (parts.length === 3 && isTypeBelowProject(type) && (type !== "project" || id === second)) {
      return { type, id, projectId: second };
    }
  }
  const description = `'${clip(text)}' must have the form '<organization_id>/organization' or '<resource_id>/<project_id>/<resource_type>'`;
  throw new DomainError(
    Code.INVALID_ARGUMENT,
    "RESOURCE_KEY_MALFORMED",
    `resource_key: ${description}`,
    { fields: [{ field: "resource_key", description }], metadata: { resource_key: text } },
  );
}

/** Writes the key of a resource. */
export function printResourceKey(key: ResourceKey): string {
  return key.projectId === undefined
    ? `${key.id}/${key.type}`
    : `${key.id}/${key.projectId}/${key.type}`;
}

function isTypeBelowProject(type: string): boolean {
  return type !== "organization" && /^[a-z][a-z0-9_]*$/.test(type);
}
