import { INIT_COMMAND } from "../http/endpoints/start-page.ts";
import type { Server } from "../server.ts";
import type { DatabaseLocation } from "../storage/open.ts";
import { nameDatabase } from "./database.ts";

/** Describes the URLs of a server: its APIs and its pages for browsers. */
export function describeServer({ studioUrl, deliveryUrl, pages }: Server): string {
  const urls = [
    ["Studio API", studioUrl],
    ["Delivery API", deliveryUrl],
    ...pages.map(({ title, path }) => [title, studioUrl + path]),
  ];
  const lines = urls.map(([title = "", url]) => `  ${title.padEnd(12)}  ${url}\n`);
  return `Marquee is ready.\n${lines.join("")}`;
}

/** Describes the next command for an empty database. */
export function describeEmpty(database: DatabaseLocation): string {
  return `
The database is empty. Create an organization and the access token of its owner
  ${INIT_COMMAND} --database '${nameDatabase(database)}'

`;
}

/** Says that `--demo` changed nothing, and how to have the demo. */
export const DEMO_NOT_LOADED = `
The demo is not loaded: the database contains other data. Name a new one, such as --database sqlite:data/demo.db

`;
