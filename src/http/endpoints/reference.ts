import { readFile } from "node:fs/promises";
import type { Endpoint } from "../listener/exchange.ts";
import { documentEndpoint } from "./document.ts";

/** The page loads and calls nothing outside its own origin; Swagger UI sets styles in attributes. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  ...["base-uri", "form-action", "frame-ancestors"].map((it) => `${it} 'none'`),
].join("; ");

const HEADERS = { "x-content-type-options": "nosniff" };

/** The URLs are relative, so that the page also works below a path of a proxy. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Marquee API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="reference/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="reference/swagger-ui-bundle.js"></script>
<script src="reference/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: -1,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

/** Creates `/reference`: the OpenAPI document as a page of Swagger UI, whose files come from its package. */
export function referenceEndpoints(): [string, Endpoint][] {
  return [
    [
      "/reference",
      documentEndpoint("text/html; charset=utf-8", async () => Buffer.from(PAGE), {
        ...HEADERS,
        "content-security-policy": POLICY,
      }),
    ],
    ["/reference/start.js", documentEndpoint(SCRIPT, async () => Buffer.from(START), HEADERS)],
    ["/reference/swagger-ui-bundle.js", packageFile("swagger-ui-bundle.js", SCRIPT)],
    ["/reference/swagger-ui.css", packageFile("swagger-ui.css", "text/css; charset=utf-8")],
  ];
}

const SCRIPT = "text/javascript; charset=utf-8";

function packageFile(name: string, contentType: string): Endpoint {
  return documentEndpoint(contentType, () => readFile(findPackageFile(name)), HEADERS);
}

/** Finds a file of Swagger UI, which is part of the compiled package, so that it installs none of its dependencies. */
function findPackageFile(name: string): URL {
  return import.meta.url.endsWith(".ts")
    ? new URL(import.meta.resolve(`swagger-ui-dist/${name}`))
    : new URL(`../../../swagger-ui/${name}`, import.meta.url);
}
