import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectHeaders } from "../harness/calls.ts";
import { openCases } from "../harness/cases.ts";
import { findFreePort } from "../harness/free-port.ts";
import { send } from "../harness/http.ts";
import { ROOT } from "../harness/process.ts";
import { findNginx, isNginxRequired, type Nginx, startNginx } from "./nginx.ts";
import { STOLEN } from "./playback-dataset.ts";
import {
  type PlaybackMethod,
  type PlaybackService,
  pathOf,
  startPlaybackService,
} from "./playback-service.ts";

const each = openCases("playback/edge");

const program = findNginx();
const isSkipped = program === undefined && !isNginxRequired;
if (isSkipped) {
  process.stderr.write("\n*** SKIPPED: the tests of an edge server, as there is no nginx ***\n\n");
}

const VIEWER = "127.0.0.1";
const STRANGER = "127.0.0.2";
const FILES = {
  "alpha/counted/playlist.m3u8": "#EXTM3U\n720p/index.m3u8\n",
  "alpha/counted/720p/index.m3u8": "#EXTM3U\nsegment 1.ts\n",
  "alpha/counted/720p/segment 1.ts": "one",
  "alpha/open/playlist.m3u8": "#EXTM3U\n",
  "alpha/secret.txt": "secret",
  "beta/match/playlist.m3u8": "#EXTM3U of beta\n",
  "elsewhere/file.ts": "of nobody",
  "x.m3u8": "of nobody",
};

describe.skipIf(isSkipped)("behind nginx, as docs/protect-videos.md configures it,", () => {
  const media = mkdtempSync(join(tmpdir(), "marquee-media-"));
  let origin: string;
  let service: PlaybackService;
  let nginx: Nginx;
  let token: string;

  beforeAll(async () => {
    if (program === undefined) throw new Error("no nginx: apt-get install nginx-light");
    for (const [path, text] of Object.entries(FILES)) {
      mkdirSync(join(media, path, ".."), { recursive: true });
      writeFileSync(join(media, path), text);
    }
    const port = await findFreePort();
    origin = `http://${VIEWER}:${port}`;
    service = await startPlaybackService({}, { origin });
    nginx = await startNginx(program, readConfiguration(port), port);
    token = await service.signIn("viewer-1");
  });
  afterAll(async () => {
    await nginx?.stop();
    await service?.close();
    rmSync(media, { recursive: true });
  });

  /** Returns the configuration of docs/protect-videos.md, with the names of this machine. */
  function readConfiguration(port: number, marquee = service.url.replace("http://", "")): string {
    const page = readFileSync(`${ROOT}docs/protect-videos.md`, "utf8");
    const [, text] = /```nginx\n([\s\S]*?)```/.exec(page) ?? [];
    if (text === undefined) throw new Error("docs/protect-videos.md has no configuration of nginx");
    return [
      ["127.0.0.1:8080", marquee],
      ["listen 80", `listen ${port}`],
      ["/srv/media", media],
      ["/night-train/", "/alpha/"],
      ["acme", "alpha"],
      ["sandbox", "beta"],
    ].reduce((result, [name = "", value = ""]) => {
      if (!result.includes(name)) throw new Error(`the configuration does not say ${name}`);
      return result.replaceAll(name, value);
    }, text);
  }

  const call = (method: PlaybackMethod, sessionKey: string, videoId = "video-counted") =>
    send("POST", service.url + pathOf(method), {
      headers: connectHeaders(token),
      body: { videoId, sessionKey },
    });
  const authorize = async (sessionKey = "session-1") => {
    const got = await call("AuthorizePlayback", sessionKey);
    expect(got.status, got.text).toBe(200);
    return got.json.playlistUrl as string;
  };

  test("a viewer signs in, is authorized, and gets the playlist", async () => {
    const got = await fetchFrom(VIEWER, await authorize());
    expect([got.status, got.text]).toEqual([200, FILES["alpha/counted/playlist.m3u8"]]);
  });

  test("and then what it names, without the query, by the cookie", async () => {
    const { cookie } = await fetchFrom(VIEWER, await authorize());
    expect(cookie).toMatch(/; Path=\/alpha\/counted\/; Max-Age=330; HttpOnly; SameSite=Lax$/);
    const [pair = ""] = cookie.split(";");
    for (const file of ["720p/index.m3u8", "720p/segment%201.ts"]) {
      const url = `${origin}/alpha/counted/${file}`;
      expect((await fetchFrom(VIEWER, url, { cookie: pair })).status).toBe(200);
      expect((await fetchFrom(STRANGER, url, { cookie: pair })).status).toBe(403);
      const without = await fetchFrom(VIEWER, url);
      expect([without.status, without.reason]).toEqual([403, "TOKEN_MISSING"]);
    }
  });

  test("or by the query, which the player appends", async () => {
    const { search = "" } = URL.parse(await authorize()) ?? {};
    const url = `${origin}/alpha/counted/720p/segment%201.ts${search}`;
    expect(await fetchFrom(VIEWER, url)).toMatchObject({ status: 200, text: "one" });
  });

  test("another address is rejected, whatever it says of itself", async () => {
    const url = await authorize();
    for (const headers of [
      {},
      { "x-forwarded-for": VIEWER },
      { "x-original-address": VIEWER },
      { "x-real-ip": VIEWER, forwarded: `for=${VIEWER}` },
    ]) {
      const got = await fetchFrom(STRANGER, url, headers);
      expect([got.status, got.reason, got.cookie]).toEqual([403, "ADDRESS_NOT_BOUND", ""]);
      expect(got.text).not.toContain("#EXTM3U");
    }
  });

  test("who says that another file was asked for is rejected", async () => {
    const url = await authorize();
    const got = await fetchFrom(VIEWER, `${origin}/alpha/secret.txt`, { "x-original-uri": url });
    expect([got.status, got.reason]).toEqual([403, "TOKEN_MISSING"]);
  });

  each<[string]>("no token leads out of its folder", async (path) => {
    const { search = "" } = URL.parse(await authorize()) ?? {};
    const got = await fetchFrom(VIEWER, `${origin}/alpha/counted/`, {}, path + search);
    expect([400, 403]).toContain(got.status);
    expect(got.text).not.toMatch(/secret|#EXTM3U/);
  });

  test("it ends to the second, unless the player keeps it", async () => {
    const url = await authorize();
    service.pass(89_000);
    const kept = await call("KeepPlayback", "session-1");
    expect(kept.status, kept.text).toBe(200);
    service.pass(240_999);
    expect((await fetchFrom(VIEWER, url)).status).toBe(200);
    service.pass(1);
    const got = await fetchFrom(VIEWER, url);
    expect([got.status, got.reason, got.cookie]).toEqual([403, "URL_EXPIRED", ""]);
    expect((await fetchFrom(VIEWER, kept.json.playlistUrl)).status).toBe(200);
    service.pass(89_000);
    expect((await fetchFrom(VIEWER, kept.json.playlistUrl)).reason).toBe("URL_EXPIRED");
  });

  describe("of two tenants on one host", () => {
    const play = async (key: "public" | "sandbox", videoId: string) => {
      const message = { videoId, sessionKey: "tenant" };
      const got = await service.call("AuthorizePlayback", message, { token: service.keys[key] });
      expect(got.status, got.text).toBe(200);
      return got.json.playlistUrl as string;
    };

    test("each plays its own", async () => {
      const own = await fetchFrom(VIEWER, await play("public", "video-open"));
      expect([own.status, own.text]).toEqual([200, FILES["alpha/open/playlist.m3u8"]]);
      const other = await fetchFrom(VIEWER, await play("sandbox", "video-elsewhere"));
      expect([other.status, other.text]).toEqual([200, FILES["beta/match/playlist.m3u8"]]);
    });

    for (const [index, address] of STOLEN.entries()) {
      test(`one that writes ${address} into a video of its own gets nothing of the other`, async () => {
        const stolen = await play("sandbox", `video-stolen-${index}`);
        const { search = "" } = URL.parse(stolen) ?? {};
        const token = search.replace(/.*playback_token=/, "");
        const paths = ["/alpha/open/playlist.m3u8", "/alpha/counted/720p/segment%201.ts"];
        for (const path of [...paths, "//alpha/secret.txt", "/%61lpha/secret.txt"]) {
          for (const [query, headers] of [
            [search, {}],
            [`${search}&project_id=beta`, {}],
            ["", { cookie: `playback_token=${token}` }],
          ] as const) {
            const got = await fetchFrom(VIEWER, `${origin}/`, headers, path.slice(1) + query);
            expect([path, got.status, got.cookie]).toEqual([path, 403, ""]);
            expect(got.reason).toMatch(/^(PROJECT_NOT_ALLOWED|SIGNATURE_INVALID)$/);
          }
        }
      });
    }

    test("one whose folder holds the other's has its token rejected below", async () => {
      const { search = "" } = URL.parse(await play("sandbox", "video-stolen-1")) ?? {};
      const got = await fetchFrom(VIEWER, `${origin}/alpha/counted/playlist.m3u8${search}`);
      expect([got.status, got.reason]).toEqual([403, "PROJECT_NOT_ALLOWED"]);
    });

    test("no token goes from one folder into the other's by a path", async () => {
      const { search = "" } = URL.parse(await play("sandbox", "video-elsewhere")) ?? {};
      for (const path of [
        ...[
          "../../alpha/secret.txt",
          "..%2f..%2falpha/secret.txt",
          "%2e%2e/%2e%2e/alpha/secret.txt",
        ],
        ...["..;/..;/alpha/secret.txt", "../../ALPHA/secret.txt", "..\\..\\alpha\\secret.txt"],
        ...["/../../alpha/secret.txt", "x/../../../alpha/secret.txt", "%252e%252e/secret.txt"],
      ]) {
        const got = await fetchFrom(VIEWER, `${origin}/beta/match/`, {}, path + search);
        expect([400, 403], path).toContain(got.status);
        expect(got.text).not.toContain("secret\n");
      }
    });

    test("a host in another spelling is the same host", async () => {
      const url = await play("public", "video-open");
      const got = await fetchFrom(VIEWER, url, { host: "127.0.0.1.:80" });
      expect(got.status).toBe(200);
      for (const host of ["other.example", "127.0.0.1.other.example"]) {
        const { status, reason } = await fetchFrom(VIEWER, url, { host });
        expect([status, reason]).toEqual([403, "SIGNATURE_INVALID"]);
      }
    });

    test("what lies in no project's folder is nobody's", async () => {
      const { search = "" } = URL.parse(await play("sandbox", "video-elsewhere")) ?? {};
      for (const path of [
        "x.m3u8",
        "elsewhere/file.ts",
        "alphabet/x",
        "ALPHA/open/playlist.m3u8",
      ]) {
        const { status, text } = await fetchFrom(VIEWER, `${origin}/${path}${search}`);
        expect([path, status]).toEqual([path, 403]);
        expect(text).not.toMatch(/of nobody|#EXTM3U/);
      }
    });
  });

  test("nothing is to be had while Marquee is away", async () => {
    const { pathname = "", search = "" } = URL.parse(await authorize("three")) ?? {};
    const [port, nobody] = [await findFreePort(), await findFreePort()];
    const lonely = await startNginx(
      program ?? "",
      readConfiguration(port, `${VIEWER}:${nobody}`),
      port,
    );
    const got = await fetchFrom(VIEWER, `http://${VIEWER}:${port}${pathname}${search}`);
    expect(got.status).toBe(500);
    await lonely.stop();
  });
});

interface EdgeResponse {
  readonly status: number;
  readonly text: string;
  readonly reason: string;
  readonly cookie: string;
}

/** Asks from an address of this machine; `path` is added as it is, where a URL would change it. */
function fetchFrom(
  localAddress: string,
  url: string,
  headers: Readonly<Record<string, string>> = {},
  path = "",
): Promise<EdgeResponse> {
  const { hostname = "", port = "", pathname = "", search = "" } = URL.parse(url) ?? {};
  const options = { localAddress, hostname, port, headers, agent: false as const };
  return new Promise((resolve, reject) => {
    request({ ...options, path: `${pathname}${path}${search}` }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString(),
          reason: String(response.headers["marquee-reason"] ?? ""),
          cookie: response.headers["set-cookie"]?.[0] ?? "",
        }),
      );
    })
      .once("error", reject)
      .end();
  });
}
