import { describe, expect, test } from "vitest";
import { useMarquee } from "../harness/use-marquee.ts";
import { callIam, iamMaker, metadata, ok, refusal } from "./iam.ts";

const marquee = await useMarquee();
const call = callIam(marquee);
const make = iamMaker(call);

describe("deleting an account", () => {
  test("is refused while it has tokens or bindings; with force they go along, at once", async () => {
    const { id, token } = await make.caller(["iam.organizations.get"]);
    const refused = await call(`DELETE /iam/accounts/v1/${id}`);
    expect(refusal(refused)).toEqual([400, "STILL_REFERRED_TO"]);
    const kinds = metadata(refused)
      .referrers?.split(",")
      .map((it) => it.split("/")[0]);
    expect(kinds?.sort()).toEqual(["access_token", "binding"]);
    const read = () => call("GET /iam/organizations/v1/org-worldcup", { token });
    expect((await read()).status).toBe(200);
    ok(await call(`DELETE /iam/accounts/v1/${id}`, { query: { force: true } }));
    expect((await read()).status).toBe(401);
  });
});

describe("deleting a project", () => {
  test("is refused while something is in it; with force all of it is gone", async () => {
    await make.project("crowded");
    const body = { project_id: "crowded", kind: "PROJECT_KEY_KIND_PUBLIC" };
    const { project_key } = ok(await call("POST /iam/project_keys/v1", { body }));
    const refused = await call("DELETE /iam/projects/v1/crowded");
    expect(refusal(refused)).toEqual([400, "STILL_REFERRED_TO"]);
    expect(metadata(refused).referrers).toBe(`project_key/${project_key.id}`);
    ok(await call("DELETE /iam/projects/v1/crowded", { query: { force: true } }));
    expect((await call(`GET /iam/project_keys/v1/${project_key.id}`)).status).toBe(404);
  });
});
