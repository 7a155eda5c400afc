/** The OpenAPI document, as far as the pages read it. */
export interface Document {
  readonly info: { readonly version: string; readonly description: string };
  readonly tags: readonly Tag[];
  readonly "x-tagGroups": readonly { readonly name: string; readonly tags: readonly string[] }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationBody>>>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

/** A service. */
export interface Tag {
  readonly name: string;
  readonly "x-displayName": string;
  readonly description: string;
}

interface OperationBody {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  /** The permission that the caller needs, such as `cms.events.update`. */
  readonly "x-permission"?: { readonly name: string };
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Content }>
  >;
}

/** A method with its path. */
export interface Operation extends Omit<OperationBody, "parameters"> {
  readonly path: string;
  /** In upper case. */
  readonly verb: string;
  readonly parameters: readonly Parameter[];
}

/** The media types of a body. */
export interface Content {
  readonly "application/json": { readonly schema: Schema; readonly example?: unknown };
}

interface Reference {
  readonly $ref: string;
}

/** A value in the path, the query or a header. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
  readonly content?: Content;
  readonly example?: unknown;
}

/** A JSON Schema. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly readOnly?: boolean;
  readonly deprecated?: boolean;
  /** The oneof of a field: at most one field of an object with this name is set. */
  readonly "x-oneof"?: string;
  /** The language of a text, such as `KQL`. */
  readonly "x-text"?: string;
  /** The kinds of the resources that an id may name, such as `["event"]`. */
  readonly "x-reference"?: readonly string[];
}

/**
 * Lists the operations of a document by tag. A read of the Delivery API is listed once, as GET: its POST takes the same
 * message as a body.
 */
export function groupByTag(document: Document): ReadonlyMap<string, readonly Operation[]> {
  const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs)
      .filter(([, { operationId }]) => !operationId.endsWith(".post"))
      .map(([verb, { parameters = [], ...body }]) => ({
        ...body,
        path,
        verb: verb.toUpperCase(),
        parameters: parameters.map((it) => ("$ref" in it ? findParameter(document, it) : it)),
      })),
  );
  return Map.groupBy(operations, ({ tags: [tag = ""] }) => tag);
}

function findParameter(document: Document, { $ref }: Reference): Parameter {
  const found = document.components.parameters[lastSegment($ref)];
  if (found === undefined) throw new Error(`openapi.json has no ${$ref}`);
  return found;
}

/** Returns a schema, merged with the schema that it refers to. */
export function resolve(schema: Schema, { components }: Document): Schema {
  if (schema.$ref === undefined) return schema;
  return { ...components.schemas[lastSegment(schema.$ref)], ...schema };
}

/** Returns the name at the end of a reference, such as `svc.cda.cms.event.v1.Event`. */
export function lastSegment($ref: string): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}

/** Returns the name of the method of an operation, such as `ListEvents`. */
export function methodOf({ operationId }: Operation): string {
  return operationId.slice(operationId.indexOf(".") + 1);
}
