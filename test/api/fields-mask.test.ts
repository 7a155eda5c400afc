import { randomUUID } from "node:crypto";
import type { DescField } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { PageComponentSchema } from "../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { isFreeJson } from "../../src/domain/base/descriptors.ts";
import { type HttpResponse, rejection } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import type { JsonMessage } from "./methods.ts";
import { listResources, type Resource } from "./resources.ts";
import { callRest } from "./studio.ts";

const marquee = await useMarquee();

/** Each kind with an update, the field of its resource in that request, and its fields of maps and free JSON. */
const KINDS = listResources(marquee, "Connect POST").flatMap(([name, resource]) => {
  const field = resource.method("Update")?.input.fields[1];
  if (field?.message === undefined || field.message === PageComponentSchema) return [];
  const open = field.message.fields.filter((it) => it.fieldKind === "map" || isFreeJson(it));
  return [{ name, resource, field, open }];
});
const OPEN = KINDS.filter(({ open }) => open.length > 0);

test.each(KINDS)("$name has a fields_mask if it has maps or free JSON", ({ resource, open }) => {
  const input = resource.method("Update")?.input;
  const has = input?.fields.some((it) => it.name === "fields_mask");
  expect(has).toBe(open.length > 0);
});

test("there are kinds with maps", () => {
  expect(OPEN.length).toBeGreaterThanOrEqual(6);
});

/** A new resource with two values in a field, and its update by a mask. */
async function createOpen(resource: Resource, field: DescField, open: DescField) {
  const value = { en: "a", de: "b" };
  const [create] = resource.method("Create")?.input.fields ?? [];
  const message = { ...resource.body.resource, [open.localName]: value };
  if ("slug" in message) message.slug = randomUUID();
  const { id, got } = await resource.create({ [create?.localName ?? ""]: message });
  expect(got.status, got.text).toBe(200);
  const openOf = ({ status, json, text }: HttpResponse) => {
    expect(status, text).toBe(200);
    return json[field.localName][open.localName];
  };
  return {
    update: (sent: JsonMessage, fieldsMask: string, more: JsonMessage = {}) =>
      resource.call("Update", {
        ...{ [resource.idField]: id, [field.localName]: { [open.localName]: sent } },
        ...{ fieldsMask, ...more },
      }),
    openOf,
    read: async () => openOf(await resource.get(id)),
  };
}

for (const { name, resource, field, open } of OPEN) {
  test.each(open)(`a mask writes one value of ${name}.$name, and the others stay`, async (it) => {
    const { update, read, openOf } = await createOpen(resource, field, it);
    const path = `${it.name}.de`;
    const changed = await update({ de: "c", en: "not named" }, path);
    expect(openOf(changed)).toEqual({ en: "a", de: "c" });
    expect(changed.headers.get("marquee-warnings")).toBeNull();
    expect(await read()).toEqual({ en: "a", de: "c" });
    const dry = await update({ de: "d" }, path, { validateOnly: true });
    expect(openOf(dry)).toEqual({ en: "a", de: "d" });
    expect(await read()).toEqual({ en: "a", de: "c" });
    for (const wrong of [`${it.name}.none`, `${it.name}.`, "id", "none", "*"]) {
      expect(rejection(await update({ de: "d" }, wrong))).toEqual([400, "UPDATE_MASK_INVALID"]);
    }
    const both = await update({ de: "d" }, path, { updateMask: it.localName });
    expect(rejection(both)).toEqual([400, "ONEOF_CONFLICT"]);
    expect(openOf(await update({}, path))).toEqual({ en: "a" });
    expect(rejection(await update({}, path))).toEqual([400, "UPDATE_MASK_INVALID"]);
    expect(await read()).toEqual({ en: "a" });
  });

  const isReleasable = resource
    .method("Update")
    ?.input.fields.some((it) => it.name === "release_id");
  test.skipIf(!isReleasable)(`a mask writes a draft of ${name}`, async () => {
    const [it] = open as [DescField, ...DescField[]];
    const { update, read, openOf } = await createOpen(resource, field, it);
    const releaseId = `masks-${name.split(" ")[0]?.toLowerCase()}`;
    const { projectId: project_id } = resource.body.resource;
    const release = { project_id, name: "Masks" };
    await callRest(marquee, "POST", `cms/releases/v1?release_id=${releaseId}`, release);
    const drafted = await update({ de: "c" }, `${it.name}.de`, { releaseId });
    expect(openOf(drafted)).toEqual({ en: "a", de: "c" });
    expect(await read()).toEqual({ en: "a", de: "b" });
    // Another value of the same field becomes no conflict.
    expect(openOf(await update({ en: "z" }, `${it.name}.en`))).toEqual({ en: "z", de: "b" });
    const applied = await callRest(marquee, "POST", `cms/releases/v1/${releaseId}:apply`, {});
    expect(applied.status, applied.text).toBe(200);
    expect(await read()).toEqual({ en: "z", de: "c" });
  });
}
