import { createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { AuthService } from "../../../gen/svc/cda/iam/auth/v1/auth_service_pb.ts";
import { PageService } from "../../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import { renderPage } from "./render-page.ts";
import type { SiteSettings } from "./settings.ts";

const settings = JSON.parse(decodeURIComponent(location.hash.slice(1))) as SiteSettings;

/** Sends the public key, and keeps the headers that the browser lets a page read. */
const useKey: Interceptor = (next) => async (request) => {
  request.header.set("authorization", `Bearer ${settings.publicKey}`);
  const response = await next(request);
  const names = [...response.header.keys()].sort().join(" ");
  document.body.setAttribute(`data-${request.method.name}`, names);
  return response;
};

const transport = createConnectTransport({
  baseUrl: settings.deliveryUrl,
  useHttpGet: true,
  interceptors: [useKey],
});
const pages = createClient(PageService, transport);
const auth = createClient(AuthService, transport);

async function showPages(): Promise<void> {
  const answer = await pages.listPages({});
  const links = answer.pages.map(({ slug, title }) => {
    const link = document.createElement("a");
    link.href = `/${slug}`;
    link.textContent = title.en ?? slug;
    return link;
  });
  find("nav").replaceChildren(...links);
}

async function showHome(): Promise<void> {
  const home = await pages.getPage({ slug: "home", includeItems: true, environment: "web" });
  document.title = home.page?.title.en ?? "";
  find("main").replaceChildren(...renderPage(home));
}

async function signIn(): Promise<void> {
  const { userId, token } = await auth.exchangeToken({ vendorIdToken: settings.vendorIdToken });
  find("output").textContent = `${userId} ${token}`;
}

find("button").addEventListener("click", () => void signIn());
await Promise.all([showPages(), showHome()]);
document.body.dataset.ready = "true";

function find(selector: string): Element {
  const found = document.querySelector(selector);
  if (found === null) throw new Error(`the page has no ${selector}`);
  return found;
}
