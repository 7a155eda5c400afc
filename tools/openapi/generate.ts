/**
 * Writes the OpenAPI document from the schema in `gen/` to the file that is named: part of `npm run generate`.
 *
 * @module
 */
import { writeFileSync } from "node:fs";
import { makeOpenApi } from "./document.ts";

const [file = "gen/openapi.json"] = process.argv.slice(2);
writeFileSync(file, `${JSON.stringify(await makeOpenApi())}\n`);
