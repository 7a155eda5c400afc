import { describe, expect, test } from "vitest";
import { useMarquee } from "../harness/use-marquee.ts";
import { callIam, connectIam, iamMaker, metadata, ok, refusal } from "./iam.ts";

const marquee = await useMarquee();
const call = callIam(marquee);
const make = iamMaker(call);

for (const type of ["account", "project"] as const) {
  const path = `/iam/${type}s/v1`;
  const service = `iam.${type}.v1.${type === "account" ? "Account" : "Project"}Service`;
  const Type = type === "account" ? "Account" : "Project";

  describe(`${type}s`, () => {
    test("live from creation to deletion over REST", async () => {
      const id = `${type}-life`;
      const body = { organization_id: "org-worldcup", name: "Born" };
      const made = await call(`POST ${path}`, { body, query: { [`${type}_id`]: id } });
      expect(ok(made)[type]).toMatchObject({ id, ...body });
      const read = await call(`GET ${path}/${id}`);
      expect(read.json).toEqual(made.json);
      const etag = read.headers.get("etag") ?? "";
      expect(etag).toBe(made.headers.get("etag"));
      const rename = () =>
        call(`PATCH ${path}/${id}`, {
          body: { [type]: { name: "Renamed" }, update_mask: "name" },
          headers: { "if-match": etag },
        });
      const renamed = await rename();
      expect(ok(renamed)[type].name).toBe("Renamed");
      const stale = await rename();
      expect(refusal(stale)).toEqual([409, "ETAG_MISMATCH"]);
      expect(metadata(stale).etag).toBe(renamed.headers.get("etag"));
      const list = ok(
        await call(`GET ${path}`, {
          query: { organization_id: "org-worldcup", filter: "name: Renamed" },
        }),
      );
      expect(list[`${type}s`]).toEqual([renamed.json[type]]);
      expect(ok(await call(`DELETE ${path}/${id}`))).toEqual({});
      expect(refusal(await call(`GET ${path}/${id}`))).toEqual([404, "RESOURCE_NOT_FOUND"]);
      expect(refusal(await call(`DELETE ${path}/${id}`))).toEqual([404, "RESOURCE_NOT_FOUND"]);
    });

    test("live the same over Connect", async () => {
      const connect = connectIam(marquee);
      const made = ok(
        await connect(`${service}/Create${Type}`, {
          [type]: { organizationId: "org-worldcup", name: "Born" },
        }),
      );
      const { id } = made[type];
      const byId = { [`${type}Id`]: id };
      expect(ok(await connect(`${service}/Get${Type}`, byId))).toEqual(made);
      const renamed = await connect(`${service}/Update${Type}`, {
        ...byId,
        ...{ [type]: { name: "Renamed" }, updateMask: "name" },
      });
      expect(ok(renamed)[type].name).toBe("Renamed");
      expect(ok(await call(`GET ${path}/${id}`))[type].name).toBe("Renamed");
      ok(await connect(`${service}/Delete${Type}`, byId));
      const gone = await connect(`${service}/Get${Type}`, byId);
      expect(refusal(gone)).toEqual([404, "RESOURCE_NOT_FOUND"]);
    });

    test("keep their organization", async () => {
      const id = type === "account" ? await make.account() : await make.project("stays");
      const got = await call(`PATCH ${path}/${id}`, {
        body: { [type]: { organization_id: "org-elsewhere" }, update_mask: "organization_id" },
      });
      expect(refusal(got)).toEqual([400, "UPDATE_MASK_INVALID"]);
    });

    test("go through pages without one twice or missing", async () => {
      const want: string[] = [];
      for (let count = 0; count < 5; count += 1) {
        const body = { organization_id: "org-worldcup", name: "Paged" };
        want.push(ok(await call(`POST ${path}`, { body }))[type].id);
      }
      for (const order of ["id asc", "id desc", "create_time asc", "update_time desc"]) {
        const seen: string[] = [];
        let page_token = "";
        do {
          const query = { organization_id: "org-worldcup", filter: "name: Paged", order };
          const page = ok(
            await call(`GET ${path}`, { query: { ...query, page_size: 2, page_token } }),
          );
          seen.push(...page[`${type}s`].map((it: { id: string }) => it.id));
          page_token = page.next_page_token;
        } while (page_token !== "");
        expect(seen.toSorted(), order).toEqual(want.toSorted());
        const byId = want.toSorted();
        if (order === "id asc") expect(seen).toEqual(byId);
        if (order === "id desc") expect(seen).toEqual(byId.reverse());
      }
    });
  });
}

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
