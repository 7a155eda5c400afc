import type { Random } from "../../demo/data/random.ts";

/** A sign-in that a browser has begun: its cookie and the URL that the provider sends it back to. */
export interface BegunSignIn {
  readonly cookie: string;
  readonly callback: URL;
}

/**
 * Sends forged callbacks of sign-ins: parameters and cookies that are missing, cut, changed, swapped or repeated. Returns
 * those that opened a session, or that got a status from 500 on other than 503.
 */
export async function fuzzCallbacks(
  begun: readonly BegunSignIn[],
  { random, cases }: { readonly random: Random; readonly cases: number },
): Promise<readonly string[]> {
  const pick = <T>(values: readonly T[]): T => values[random.below(values.length)] as T;
  const change = (text: string): string => {
    const at = random.below(text.length + 1);
    const forms = [
      () => "",
      () => text.slice(0, at),
      () => `${text.slice(0, at)}${pick(["A", "%00", ".", "=", "é", "'", "<", "x".repeat(2_000)])}`,
      () => `${text.slice(0, at)}_${text.slice(at + 1)}`,
      () => `${text}${text}`,
    ];
    return pick(forms)();
  };
  const errors: string[] = [];
  for (let turn = 0; turn < cases; turn += 1) {
    const { cookie, callback } = pick(begun);
    const url = new URL(callback);
    const [name = "", value = ""] = cookie.split("=");
    let sent = cookie;
    switch (random.below(5)) {
      case 0:
        sent = pick(begun.filter((it) => it.cookie !== cookie)).cookie;
        break;
      case 1:
        sent = `${name}=${encodeURIComponent(change(value))}`;
        break;
      case 2:
        url.searchParams.set("state", change(url.searchParams.get("state") ?? ""));
        break;
      case 3:
        url.search = change(url.search).replaceAll("é", "%C3");
        sent = pick(["", `${name}=`, `marquee_session=${value}`]);
        break;
      default:
        url.searchParams.append("state", pick(begun).callback.searchParams.get("state") ?? "");
        sent = `${name.slice(0, -1)}=${value}`;
    }
    if (sent === cookie && url.href === callback.href) continue;
    const response = await fetch(url, { redirect: "manual", headers: { cookie: sent } });
    await response.arrayBuffer();
    const hasSession = response.headers.getSetCookie().some((it) => it.includes("session=mqs_"));
    const isFault = response.status >= 500 && response.status !== 503;
    if (hasSession || isFault) errors.push(`${response.status} ${url.search} ${sent}`);
  }
  return errors;
}
