import type { DemoFile } from "../../demo/demo-file.ts";
import { type BenchRequest, type Load, measureLoads } from "./load.ts";
import type { ServerProcess } from "./processes.ts";
import type { Bench } from "./section.ts";

const UPDATE = "/svc.studio.ott.page_component.v2.PageComponentService/UpdatePageComponent";
const CONFIGURATION =
  "/svc.studio.annotations.annotation_type.v1.AnnotationTypeService/GetActionConfiguration";

/** Names that writes give the component in turn: every write changes it. */
const NAMES = 1_000;

/** Measures writes synced to disk, and compares the costs of the protocols of the Studio API. */
export async function measureStudio({ plan, table, servers }: Bench): Promise<void> {
  const { server: marquee, demo } = await servers.serveDemo();
  const type = demo.samples.annotation_type_id;
  const owner = { authorization: `Bearer ${demo.accounts.owner}` };
  const restPatch = createPatches(demo);
  const connectPatch = restPatch.map((patch) => ({
    ...patch,
    ...{ method: "POST" as const, path: UPDATE },
    headers: { ...patch.headers, "connect-protocol-version": "1" },
  }));
  const message = encodeURIComponent(JSON.stringify({ annotationTypeId: type }));
  const restGet = `/annotations/types/v1/${type}/action_configuration`;
  const connectGet = `${CONFIGURATION}?encoding=json&message=${message}`;

  const ready = to(marquee, ...connectPatch);
  const measured = await measureLoads(
    new Map<string, Load>([
      ["bare", to(await servers.startPeer("bare", ready), ...restPatch)],
      ["connect-node", to(await servers.startPeer("connect", ready), ...connectPatch)],
      ["PATCH", to(marquee, ...restPatch)],
      ["PATCH by Connect", ready],
      ["GET", to(marquee, { method: "GET", path: restGet, headers: owner })],
      ["GET by Connect", to(marquee, { method: "GET", path: connectGet, headers: owner })],
    ]),
    plan,
  );
  const { rate, cpu, ratio } = measured;
  table.addGoal("patch", ratio("PATCH", "bare"));
  table.add("bare `node:http`, the response to the PATCH (responses/s)", rate("bare"));
  table.add("`PATCH` of a page component (ms CPU)", cpu("PATCH"));
  table.add("connect-node with a ready message, of bare", ratio("connect-node", "bare"));
  table.add(
    "`PATCH` over HTTP/JSON, of the same over Connect JSON",
    ratio("PATCH", "PATCH by Connect"),
    "at least 0.85",
  );
  table.add(
    "`GET` of an action configuration over HTTP/JSON, of the same over Connect JSON",
    ratio("GET", "GET by Connect"),
    "at least 0.85",
  );
}

function to(server: ServerProcess, ...requests: readonly BenchRequest[]): Load {
  return { server, requests };
}

/** Creates writes of the demo's page component over HTTP/JSON, each with another name. */
export function createPatches({ accounts, samples }: DemoFile): readonly BenchRequest[] {
  const component = samples.page_component_id;
  return Array.from({ length: NAMES }, (_, number) => ({
    method: "PATCH",
    path: `/ott/page_components/v2/${component}`,
    headers: { authorization: `Bearer ${accounts.owner}`, "content-type": "application/json" },
    body: JSON.stringify({
      page_component_id: component,
      page_component_update: { name: `Welcome ${number}` },
      update_mask: "name",
    }),
  }));
}
