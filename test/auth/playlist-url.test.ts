import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type FileRequest,
  type FileVerdict,
  type PlaylistGrant,
  PlaylistUrls,
} from "../../src/auth/playlist-url.ts";
import { Code } from "../../src/domain/base/errors.ts";
import { openCases } from "../harness/cases.ts";
import { errorOf } from "../harness/rejection.ts";

const each = openCases("auth/playlist-url");

const NOW = new Date("2026-07-01T12:00:00Z");
const END = new Date("2026-07-01T12:05:00Z");
const URL_OF_PLAYLIST = "https://media.example/worldcup/final/playlist.m3u8";
const VIEWER = "192.0.2.1";

const urls = new PlaylistUrls(Buffer.alloc(32, 1));

const sign = (url = URL_OF_PLAYLIST, grant: Partial<PlaylistGrant> = {}) =>
  urls.sign(url, { projectId: "alpha", expireTime: END, sessionKey: "session-1", ...grant });
const tokenOf = (signed: string) => URL.parse(signed)?.searchParams.get("playback_token") ?? "";

/** Asks for a path with a token, as an edge server does. */
function ask(token: string, request: Partial<FileRequest> = {}): FileVerdict {
  return urls.verify({
    projectId: "alpha",
    path: "/worldcup/final/playlist.m3u8",
    host: "media.example",
    tokens: [token],
    address: VIEWER,
    now: NOW,
    ...request,
  });
}

const reasonOf = (verdict: FileVerdict) =>
  verdict.kind === "deny" ? verdict.reason : verdict.kind;
const reasonFor = (token: string, request: Partial<FileRequest> = {}) =>
  reasonOf(ask(token, request));

describe("a signed address", () => {
  each<[what: string, url: string, before: string, after: string]>(
    "a signed address keeps what it has, and holds",
    (_what, url, before, after) => {
      const signed = sign(url);
      expect(signed).toBe(`${before}playback_token=${tokenOf(signed)}${after}`);
      const { pathname = "", host = "" } = URL.parse(signed) ?? {};
      const verdict = ask(tokenOf(signed), { path: pathname, host });
      expect(verdict).toMatchObject({
        kind: "allow",
        sessionKey: "session-1",
        expireTime: END,
        token: tokenOf(signed),
      });
    },
  );

  test.each(["a", "A-z_0.9~", "..", "x".repeat(128)])("names the session %s", (sessionKey) => {
    const token = tokenOf(sign(undefined, { sessionKey }));
    expect(token).toMatch(/^[\w.~-]+$/);
    expect(ask(token)).toMatchObject({ kind: "allow", sessionKey });
  });

  test.each([
    ...["", "playlist.m3u8", "/worldcup/final/playlist.m3u8", "//media.example/a"],
    ...["ftp://media.example/a", "file:///a", "javascript:alert(1)", "https://", "https://a b/c"],
    ...["https://m.example/v/a%2f..%2fb", "https://m.example/v/a%00b", "https://m.example/v/%"],
    // In no folder, a token would be for the whole host.
    ...["https://m.example", "https://m.example/", "https://m.example/p.m3u8?a=/b/c"],
    ...["https://m.example/v", "https://m.example/v/../p", "https://m.example/v/%2e%2e/p"],
    ...["https://m.example/./p", "https://m.example/\\p", "https://m.example/#/v/p"],
    // Servers that merge slashes read another folder, or none.
    ...["https://m.example//p", "https://m.example/%2Fp", "https://m.example/v//p"],
    ...[
      "https://ann@m.example/v/p",
      "https://ann:secret@m.example/v/p",
      "https://:s@m.example/v/p",
    ],
  ])("is not made of '%s'", (url) => {
    const want = { code: Code.FAILED_PRECONDITION, reason: "PLAYLIST_URL_INVALID" };
    expect(errorOf(() => sign(url))).toMatchObject(want);
  });

  test("is the same for the same grant, and another for each other part of it", () => {
    const signed = [
      sign(),
      sign(undefined, { sessionKey: "session-2" }),
      sign(undefined, { expireTime: new Date(END.getTime() + 1_000) }),
      sign(undefined, { address: VIEWER }),
      sign(undefined, { address: "192.0.2.2" }),
      sign(undefined, { projectId: "beta" }),
      sign("https://media.example/worldcup/final2/playlist.m3u8"),
      sign("https://media2.example/worldcup/final/playlist.m3u8"),
    ];
    expect(sign()).toBe(signed[0]);
    expect(new Set(signed.map(tokenOf)).size).toBe(signed.length);
  });
});

describe("a token is for the folder of its playlist", () => {
  const token = tokenOf(sign());

  each<[path: string, isAllowed: boolean]>(
    "a token is for the folder of its playlist",
    (path, isAllowed) => {
      expect(reasonFor(token, { path })).toBe(isAllowed ? "allow" : "SIGNATURE_INVALID");
    },
  );

  test("with its path, escaped", () => {
    const signed = sign("https://m.example/a%20b/;x=1,2/%C3%A4/p.m3u8");
    const { pathname = "" } = URL.parse(signed) ?? {};
    expect(ask(tokenOf(signed), { host: "m.example", path: pathname })).toMatchObject({
      folder: "/a%20b/%3Bx=1%2C2/%C3%A4/",
    });
  });

  test("wherever that is, and whatever path is asked for", () => {
    const segment = fc.stringMatching(/^[a-c.%25;]{1,4}$/);
    const path = fc.array(segment, { maxLength: 4 }).map((it) => `/${it.join("/")}`);
    fc.assert(
      fc.property(path, (asked) => {
        const opened = URL.parse(`https://media.example${asked}`)?.pathname ?? "";
        const other = tokenOf(sign("https://media.example/a/b/playlist.m3u8"));
        const verdict = ask(other, { path: asked });
        if (verdict.kind === "allow") expect(opened.startsWith("/a/b/")).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("a token is for the host of its playlist", () => {
  const token = tokenOf(sign());
  const rooted = tokenOf(sign("https://media.example./worldcup/final/p"));
  const literal = tokenOf(sign("http://[2001:db8::1]:8080/worldcup/final/p"));
  test.each<[what: string, signed: string, host: string | undefined, want: string]>([
    ["in lower case", token, "media.example", "allow"],
    ["in upper case", token, "MEDIA.example", "allow"],
    ["with the default port", token, "media.example:443", "allow"],
    ["with another port", token, "media.example:8443", "allow"],
    ["from the root", token, "media.example.", "allow"],
    ["from the root with a port", token, "media.example.:443", "allow"],
    ["which was said from the root", rooted, "media.example", "allow"],
    ["both from the root", rooted, "media.example.", "allow"],
    ["an IPv6 literal with a port", literal, "[2001:db8::1]:8080", "allow"],
    ["another IPv6 literal", literal, "[2001:db8::2]:8080", "SIGNATURE_INVALID"],
    ["that an edge does not send", token, undefined, "allow"],
  ])("%s", (_what, signed, host, want) => {
    expect(reasonFor(signed, { host })).toBe(want);
  });
  each<[string]>("a token is for the host of its playlist and not for", (host) => {
    expect(reasonFor(token, { host })).toBe("SIGNATURE_INVALID");
  });
});

describe("a token is for the project of its video", () => {
  const token = tokenOf(sign());
  each<[string]>("a token is for the project of its video and not for", (projectId) => {
    expect(reasonFor(token, { projectId })).toBe("PROJECT_NOT_ALLOWED");
    expect(reasonFor(token, { projectId, host: undefined })).toBe("PROJECT_NOT_ALLOWED");
  });
  test.each([undefined, ""])("and for no request that names none: %s", (projectId) => {
    expect(reasonFor(token, { projectId })).toBe("PROJECT_MISSING");
    const unnamed = tokenOf(sign(undefined, { projectId: "" }));
    expect(reasonFor(unnamed, { projectId })).toBe("PROJECT_MISSING");
  });
  test("whatever characters the id has", () => {
    for (const projectId of ["a.b", "a~b", "ä", "a b", "x".repeat(64)]) {
      const own = tokenOf(sign(undefined, { projectId }));
      expect(own).toMatch(/^[\w.~-]+$/);
      expect(reasonFor(own, { projectId })).toBe("allow");
      expect(reasonFor(own)).toBe("PROJECT_NOT_ALLOWED");
    }
  });
  test("also where its folder holds another project's", () => {
    const parent = tokenOf(sign("https://media.example/worldcup/p", { projectId: "beta" }));
    const asked = { path: "/worldcup/final/playlist.m3u8" };
    expect(reasonFor(parent, { ...asked, projectId: "beta" })).toBe("allow");
    expect(reasonFor(parent, asked)).toBe("PROJECT_NOT_ALLOWED");
  });
});

describe("a token ends", () => {
  const token = tokenOf(sign());

  each<[milliseconds: number, want: string]>("a token ends", (offset, want) => {
    expect(reasonFor(token, { now: new Date(END.getTime() + offset) })).toBe(want);
  });

  test("at the whole second before a time within one", () => {
    const early = tokenOf(sign(undefined, { expireTime: new Date(END.getTime() + 999) }));
    expect(reasonFor(early, { now: new Date(END.getTime() - 1) })).toBe("allow");
    expect(reasonFor(early, { now: END })).toBe("URL_EXPIRED");
  });
});

each<[bound: string, from: string, isAllowed: boolean]>(
  "a token that is bound to",
  (address, from, isAllowed) => {
    const token = tokenOf(sign(undefined, { address }));
    expect(reasonFor(token, { address: from })).toBe(isAllowed ? "allow" : "ADDRESS_NOT_BOUND");
  },
);

describe("a token that is bound to", () => {
  test("no address holds from everywhere", () => {
    const token = tokenOf(sign());
    for (const address of ["192.0.2.1", "2001:db8::1", ""]) {
      expect(reasonFor(token, { address })).toBe("allow");
    }
  });

  test("one says so before anything about the URL is shown: it does not contain it", () => {
    expect(tokenOf(sign(undefined, { address: VIEWER }))).not.toContain(VIEWER);
  });
});

describe("a token that was tampered with", () => {
  const token = tokenOf(sign(undefined, { address: VIEWER }));
  const [signature = "", end = ""] = token.split(".");
  const other = tokenOf(
    sign("https://m.example/x/p", {
      ...{ projectId: "beta", address: "192.0.2.9", sessionKey: "session-2" },
    }),
  ).split(".");
  const flip = (text: string) => (text.startsWith("A") ? "B" : "A") + text.slice(1);

  const parts = token.split(".");
  /** Replaces parts of the token, by their index. */
  const replace = (changes: Record<number, string>) => Object.assign([...parts], changes).join(".");

  test.each<[what: string, forged: string]>([
    ["the signature", replace({ 0: flip(signature) })],
    ["the signature's last bits", replace({ 0: signature.slice(0, -1) })],
    ["no signature", replace({ 0: "" })],
    ["the end", replace({ 1: String(Number(end) + 1) })],
    ["the end, spelled differently", replace({ 1: `0${end}` })],
    ["the end, without bounds", replace({ 1: "9".repeat(13) })],
    ...["1", "0", "3", "-1"].map((it): [string, string] => [`the depth ${it}`, replace({ 2: it })]),
    ["the host", replace({ 3: other[3] ?? "" })],
    ["the address", replace({ 4: other[4] ?? "" })],
    ["no address", replace({ 4: "" })],
    ["the project", replace({ 5: other[5] ?? "" })],
    ["no project", replace({ 5: "" })],
    ["without a project", parts.toSpliced(5, 1).join(".")],
    ["the session", replace({ 6: "session-2" })],
    ["no session", replace({ 6: "" })],
    ["a longer session", `${token}.`],
    ["another's signature", replace({ 0: other[0] ?? "" })],
    ["too few parts", `${signature}.${end}`],
    ["nothing", ""],
  ])("is rejected: %s", (_what, forged) => {
    expect(forged).not.toBe(token);
    expect(reasonFor(forged)).toBe("SIGNATURE_INVALID");
    expect(reasonFor(forged, { host: undefined })).toBe("SIGNATURE_INVALID");
  });

  test("is rejected: any one character", () => {
    expect(reasonFor(token)).toBe("allow");
    for (const [index, character] of Array.from(token).entries()) {
      const changed = token.slice(0, index) + (character === "x" ? "y" : "x");
      expect(reasonFor(changed + token.slice(index + 1))).toBe("SIGNATURE_INVALID");
    }
  });

  test("is rejected: one of another installation", () => {
    const elsewhere = new PlaylistUrls(Buffer.alloc(32, 2));
    const signed = elsewhere.sign(URL_OF_PLAYLIST, {
      ...{ projectId: "alpha", expireTime: END, sessionKey: "s" },
    });
    expect(reasonFor(tokenOf(signed))).toBe("SIGNATURE_INVALID");
  });

  test("says that it is invalid before it says that it ended or is another's", () => {
    const late = { now: new Date(END.getTime() + 1), address: "192.0.2.2" };
    expect(reasonFor(`${token}x`, late)).toBe("SIGNATURE_INVALID");
    expect(reasonFor(token, late)).toBe("URL_EXPIRED");
  });
});

describe("of several tokens", () => {
  const good = tokenOf(sign());
  const ended = tokenOf(sign(undefined, { expireTime: NOW }));

  test.each<[what: string, tokens: readonly string[], want: string]>([
    ["none", [], "TOKEN_MISSING"],
    ["an empty one", [""], "SIGNATURE_INVALID"],
    ["the first holds", [good, "x"], "allow"],
    ["the second holds", [ended, good], "allow"],
    ["neither holds: the first one's reason", [ended, "x"], "URL_EXPIRED"],
    ["neither holds, the other way round", ["x", ended], "SIGNATURE_INVALID"],
  ])("%s", (_what, tokens, want) => {
    expect(reasonFor("", { tokens })).toBe(want);
  });
  test("without one the path does not matter", () => {
    expect(reasonFor("", { tokens: [], path: "/.." })).toBe("TOKEN_MISSING");
  });
});
