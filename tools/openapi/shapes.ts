import type { Json } from "./load-schema.ts";
import shapes from "./shapes.json" with { type: "json" };

const NOTE = "A convention of clients and editors: Marquee stores and returns any JSON object.";

/** The shapes of fields that accept any JSON object, by name: schemas of the OpenAPI document. */
export const SHAPES: Readonly<Record<string, Json>> = Object.fromEntries(
  Object.entries(shapes).map(([name, shape]) => [
    name,
    { type: "object", ...shape, description: `${shape.description} ${NOTE}` },
  ]),
);

/** Reads the name of the shape that the comment of a field gives its value, as in "a Card (docs/components.md)". */
export function findShape(comment: string): string | undefined {
  const [, name] = /(?:^|, )(?:each )?(?:an? )?(\w+) \(docs\/components\.md\)/i.exec(comment) ?? [];
  if (name !== undefined && SHAPES[name] === undefined)
    throw new Error(`there is no shape ${name}`);
  return name;
}
