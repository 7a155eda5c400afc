import { hash } from "node:crypto";
import packageJson from "../../../package.json" with { type: "json" };
import type { Endpoint, NodeRequest } from "../listener/exchange.ts";
import { pageHeaders, STUDIO } from "./browser-pages.ts";
import type { BrowserPage } from "./documents.ts";

/** The path of the start page, which only browsers get. */
export const START_PATH = "/";

/** The command that begins an empty database. */
export const INIT_COMMAND = "marquee init --organization 'Acme Films'";

/** Reports whether a request expects a page, as the address bar of a browser does. */
export function expectsPage({ method, headers }: Pick<NodeRequest, "method" | "headers">): boolean {
  return (method === "GET" || method === "HEAD") && /\btext\/html\b/.test(headers.accept ?? "");
}

/**
 * Creates the start page: the version, the next step, and links to the pages of this listener and to the documentation. The
 * next step is a command while the database has no organization. With a code in the query, such as `open=x7Gq`, the link to the
 * studio passes it on: the demo prints such a URL.
 */
export function startPage(
  pages: readonly BrowserPage[],
  isEmpty: () => Promise<boolean>,
): Endpoint {
  const headers = { ...PLAIN_HEADERS, vary: "Accept" };
  return async ({ query }) => {
    const [, code] = /(?:^|&)open=([\w-]+)(?:&|$)/.exec(query) ?? [];
    const links = pages.map((it) => (code && it === STUDIO ? open(it, code) : it));
    const content = `<p>The open-source backend for streaming sites and apps, version ${packageJson.version}.</p>
${(await isEmpty()) ? EMPTY : READY}<ul>
${[...links, DOCUMENTATION].map(printLink).join("\n")}
</ul>`;
    return { status: 200, headers, body: printPlain("Marquee", "Marquee", content) };
  };
}

/** Describes the studio when its link has the code that replaces a credential. */
function open({ path, title, about }: BrowserPage, code: string): BrowserPage {
  return {
    path: `${path}#open=${code}`,
    title: `Open the ${title.toLowerCase()}`,
    about: `${about} There is nothing to enter.`,
  };
}

const DOCUMENTATION: BrowserPage = {
  path: "https://github.com/marquee-streaming/marquee/tree/main/docs",
  title: "Documentation",
  about: "Quickstart, guides, and the contract of both APIs.",
};

const STYLE = `
:root {
  color-scheme: light dark;
  font: 16px / 1.5 system-ui, sans-serif;
  color: light-dark(#151a22, #e9edf3);
  background: light-dark(#f5f6f8, #0e1116);
}
body { max-width: 40rem; margin: 0 auto; padding: 12vh 1.25rem 3rem; }
h1 { display: flex; align-items: center; gap: 0.6rem; margin: 0; font-size: 1.8rem; }
.logo {
  flex: none;
  width: 2rem;
  height: 2rem;
  border-radius: 0.5rem;
  background: linear-gradient(135deg, #2447c4, #a03bd0 60%, #ff7a59);
}
p { margin: 0.4rem 0 0; color: light-dark(#576172, #9aa5b5); }
ul { display: grid; gap: 0.8rem; margin: 2rem 0 0; padding: 0; list-style: none; }
a, .next {
  display: block;
  padding: 0.9rem 1.1rem;
  color: inherit;
  text-decoration: none;
  background: light-dark(#fff, #171c24);
  border: 1px solid light-dark(#d8dde5, #2b323d);
  border-radius: 0.6rem;
}
a:hover, a:focus-visible { border-color: light-dark(#2447c4, #8fa8ff); }
a strong { color: light-dark(#2447c4, #8fa8ff); }
.next { margin-top: 2rem; border-left: 3px solid light-dark(#2447c4, #8fa8ff); }
h1 + p::first-letter { text-transform: uppercase; }
code { white-space: nowrap; }
main > p > code { white-space: normal; overflow-wrap: anywhere; }
pre { margin: 0.6rem 0 0; white-space: pre-wrap; font: 0.9rem ui-monospace, monospace; }
`;

/** The headers of pages that load nothing. */
export const PLAIN_HEADERS = {
  ...pageHeaders([`style-src 'sha256-${hash("sha256", STYLE, "base64")}'`, "img-src data:"]),
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
};

/** Prints a page that loads nothing, from HTML. */
export function printPlain(title: string, heading: string, content: string): Uint8Array {
  return Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1><span class="logo" aria-hidden="true"></span>${heading}</h1>
${content}
</main>
</body>
</html>
`);
}

const EMPTY = `<div class="next">
<strong>The database has no organization.</strong>
<p>Create one, and the access token of its owner, with the <code>--database</code> of this process:</p>
<pre>${INIT_COMMAND}</pre>
</div>
`;

const READY = `<div class="next">
<strong>The database has an organization.</strong>
<p>Next, open a page below. A page that asks for a credential takes an access token, a preview key or a project key. The
demo keeps its own in <code>data/demo.json</code>.</p>
</div>
`;

/** Prints a link. A path is relative, so that the page also works below a path of a proxy. */
function printLink({ path, title, about }: BrowserPage): string {
  return `<li><a href="${path.replace(/^\//, "")}"><strong>${title}</strong><p>${about}</p></a></li>`;
}
