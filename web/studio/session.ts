/** The name of the access token in the storage of the tab. */
const TOKEN = "marquee-studio:token";

/** Returns the access token that this tab keeps; empty: there is none. */
export function readToken(): string {
  return sessionStorage.getItem(TOKEN) ?? "";
}

/** Keeps an access token until the tab is closed. */
export function keepToken(token: string): void {
  sessionStorage.setItem(TOKEN, token);
}

/** Forgets the access token and every text of a form. */
export function signOut(): void {
  sessionStorage.clear();
}
