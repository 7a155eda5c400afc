import type { JsonObject } from "@bufbuild/protobuf";

/** The name of the credential in the storage of the tab. */
const TOKEN = "marquee-studio:token";

/** The name of the cookie's account in the storage of the browser, which all tabs share. */
const ACCOUNT = "marquee-studio:account";

/** The key of the account that this tab has read; empty: none yet. */
let account = "";

/** Returns the key of an account, which no other account of the installation has. */
export function keyOfAccount({ organization_id: organizationId, id }: JsonObject): string {
  return `${organizationId}/${id}`;
}

/** Notes the account that is signed in. */
export function noteAccount(signedIn: JsonObject): void {
  account = keyOfAccount(signedIn);
  if (readToken() === "") localStorage.setItem(ACCOUNT, account);
}

/** Reports whether another tab has signed in as another account: the cookie is now the one of that account. */
export function isReplaced(): boolean {
  const last = localStorage.getItem(ACCOUNT) ?? account;
  return readToken() === "" && account !== "" && last !== account;
}

/** Returns the access token or the preview key that this tab keeps; empty: there is none. */
export function readToken(): string {
  return sessionStorage.getItem(TOKEN) ?? "";
}

/** Reports whether the tab keeps a preview key, which opens pages as viewers see them and nothing else. */
export function hasPreviewKey(): boolean {
  return readToken().startsWith("mqv_");
}

/** Keeps an access token or a preview key until the tab is closed. */
export function keepToken(token: string): void {
  sessionStorage.setItem(TOKEN, token);
}

/** Takes the access token that the demo gives once for the code of the link that it prints, such as `#open=x7Gq`. */
export async function openByLink(): Promise<void> {
  const [, code] = /^#open=(.+)/.exec(location.hash) ?? [];
  if (code === undefined) return;
  history.replaceState(undefined, "", location.pathname);
  const headers = { "x-demo-code": code };
  const response = await fetch("demo/credentials", { headers, cache: "no-store" });
  if (response.ok) keepToken((await response.json()).accessToken);
}

/** Ends the session, and forgets the credential and every text of a form. */
export async function signOut(): Promise<void> {
  sessionStorage.clear();
  // Offline, the session ends by itself.
  await fetch("studio/sign-out", { method: "POST" }).catch(() => undefined);
}
