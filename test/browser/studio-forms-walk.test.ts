import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { type Document, groupByTag, type Schema } from "../../web/openapi.ts";
import { COMPONENT, KINDS, type Kind, methodsOf } from "../../web/studio/kinds.ts";
import { type Field, listFields } from "../../web/studio/schema.ts";
import { send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { describeStudio } from "./describe-in-chromium.ts";
import { callStudio, openStudio, openView } from "./studio.ts";

const marquee = await useMarquee({ studio: true });
const document = (await send("GET", `${marquee.url}/openapi.json`)).json as Document;
const operations = [...groupByTag(document).values()].flat();

const studio = callStudio(marquee);

/** Values of fields whose comment has no example that the other values allow. */
const SAMPLES: Readonly<Record<string, JsonValue>> = {
  title: { en: "Final", "pt-BR": "Final do mundo" },
  start_time: "2026-07-19T19:00:00Z",
  end_time: "2026-07-19T21:00:00Z",
  content_start_time: "2026-07-19T19:00:00Z",
  content_end_time: "2026-07-19T21:00:00Z",
  size_strategy: "BANNER_COLLECTION_V2_SIZE_STRATEGY_RELATIVE_HEIGHT",
};

/** Returns a value for a field: the example of its comment, else one of its control. */
function sampleOf(field: Field): JsonValue {
  const { name, control, schema, description } = field;
  const [, said = ""] = /such as `([^`]+)`/.exec(description) ?? [];
  if (name in SAMPLES && control !== "code") return SAMPLES[name] ?? null;
  const names = (schema.enum ?? []).map(String);
  switch (control) {
    case "choice":
      return names[1] ?? "";
    case "states":
    case "switch":
      return true;
    case "time":
      return "2026-07-20T06:00:00Z";
    case "window":
      return { start_time: "2026-01-01T00:00:00Z", end_time: "2027-01-01T00:00:00Z" };
    case "duration":
      return said;
    case "money":
      return { currency_code: "EUR", units: "9", nanos: 990_000_000 };
    case "integer":
      return schema.format === "int64" ? "3" : 3;
    case "number":
      return 0.5;
    case "languages":
      return { en: "Text", de: "Ein Text" };
    case "texts":
      return { season: "fields.season.id: {season}" };
    case "json":
      return { text: "a", count: 2, is: true, list: ["x", "y"], below: { deeper: null } };
    case "list":
      return [names[1] ?? (said || (/`(\w+)`/.exec(description)?.[1] ?? "web"))];
    case "ids":
      if (field.references.includes("banner_collection")) return "banners-draft";
      return schema.items === undefined ? said || "an-id" : [said || "an-id", "second-id"];
    case "object":
      return sampleObject(schema);
    case "rows":
      return schema.properties === undefined ? [{ kind: "chips" }] : [sampleObject(schema)];
    case "line":
      return name.endsWith("url") ? "https://media.example.com/a.jpg" : said || "A line";
    case "code":
    case "long":
      return said || "A text";
    default:
      return control satisfies never;
  }
}

function sampleObject(schema: Schema): JsonObject {
  return Object.fromEntries(editedFields(schema).map((it) => [it.name, sampleOf(it)]));
}

/** Lists the fields of a form that can be set together: of a oneof, the first member. */
function editedFields(schema: Schema, given: readonly string[] = []): readonly Field[] {
  const seen = new Set<string>();
  return listFields(schema, document).filter(({ name, oneof, isReadOnly, isDeprecated }) => {
    if (isReadOnly || isDeprecated || given.includes(name)) return false;
    if (oneof === "") return true;
    const isFirst = !seen.has(oneof);
    seen.add(oneof);
    return isFirst;
  });
}

const GIVEN = ["id", "project_id", "organization_id", "page_id"];

describeStudio("case 2: the form of each kind", (browser) => {
  let page: Page;
  beforeAll(async () => {
    page = await openStudio(browser(), marquee.url, marquee.tokens.owner, "#/worldcup/events");
    page.setDefaultTimeout(5_000);
  });

  const at = (id: string) => page.locator(`[id="${id}"]`);
  const groupOf = (path: string) =>
    page.locator(`[role=group][aria-labelledby="${path}-label"]`).first();

  async function addAll(input: Locator, texts: readonly JsonValue[]): Promise<void> {
    for (const text of texts) {
      await input.fill(String(text));
      await input.press("Enter");
    }
  }

  async function fillObject(schema: Schema, path: string, value: JsonObject): Promise<void> {
    for (const field of listFields(schema, document)) {
      const below = value[field.name];
      if (below === undefined || GIVEN.slice(1).includes(field.name)) continue;
      if (field.oneof !== "") await at(`${path}.${field.oneof}`).selectOption(field.name);
      await openAll();
      await fill(field, `${path}.${field.name}`, below);
    }
  }

  /** Fills a control as a person does. */
  async function fill(field: Field, path: string, value: JsonValue): Promise<void> {
    const { control, label } = field;
    const group = groupOf(path);
    switch (control) {
      case "choice":
        return void (await at(path).selectOption(String(value)));
      case "states":
        return void (await at(path).selectOption(String(value)));
      case "switch":
        return at(path).setChecked(value === true);
      case "time":
        return at(path).fill(await localOf(value));
      case "window":
        for (const [name, time] of Object.entries(value as JsonObject))
          await at(`${path}.${name}`).fill(await localOf(time ?? null));
        return;
      case "money": {
        const { currency_code: code, units, nanos = 0 } = value as JsonObject;
        await at(path).fill(`${units}.${String(nanos).padStart(9, "0")}`);
        return group.getByLabel("Currency").fill(String(code));
      }
      case "languages":
        for (const [tag, text] of Object.entries(value as JsonObject)) {
          const input = group.locator(`[lang="${tag}"]`);
          if ((await input.count()) === 0)
            await addAll(group.getByLabel(/^Language to add/), [tag]);
          await input.fill(String(text));
        }
        return;
      case "texts":
        for (const [key, text] of Object.entries(value as JsonObject)) {
          await group.getByRole("button", { name: /^\+ Add/ }).click();
          await group.getByPlaceholder("Key").last().fill(key);
          await group.getByPlaceholder("Text").last().fill(String(text));
        }
        return;
      case "json":
        await group.getByRole("button", { name: `${label} as text` }).click();
        return group.getByLabel(`${label}, JSON`).fill(JSON.stringify(value));
      case "list":
        if (field.schema.enum === undefined) return addAll(at(path), value as JsonValue[]);
        for (const name of value as string[]) await at(path).selectOption(name);
        return;
      case "ids":
        for (const id of [value].flat() as string[]) {
          await at(path).fill(id);
          await group.getByRole("option").filter({ hasText: id }).first().waitFor();
          await group.locator("[role=option]", { hasText: id }).first().click();
        }
        return;
      case "object": {
        const set = group.getByRole("button", { name: /^\+ Set/ }).first();
        if (field.oneof === "" && (await set.count()) > 0) await set.click();
        return fillObject(field.schema, path, value as JsonObject);
      }
      case "rows":
        for (const [index, row] of (value as JsonObject[]).entries()) {
          await page
            .getByRole("button", { name: `+ Add to ${label.toLowerCase()}`, exact: true })
            .click();
          if (field.schema.properties === undefined) await fillTree(group.last(), row);
          else await fillObject(field.schema, `${path}[${index}]`, row);
        }
        return;
      default:
        return at(path).fill(String(value));
    }
  }

  /** Adds texts to an object of any JSON by its tree. */
  async function fillTree(tree: Locator, value: JsonObject): Promise<void> {
    for (const [key, text] of Object.entries(value)) {
      const proposed = tree.getByRole("button", { name: `+ ${key}`, exact: true });
      if ((await proposed.count()) > 0) await proposed.click();
      else {
        await tree.getByText("+ …").click();
        await addAll(tree.getByPlaceholder("Key"), [key]);
      }
      await tree
        .getByRole("textbox", { name: new RegExp(`, ${key}$`) })
        .last()
        .fill(String(text));
    }
  }

  async function localOf(time: JsonValue): Promise<string> {
    return page.evaluate(
      `(() => { const it = new Date(${JSON.stringify(time)}); return new Date(it - it.getTimezoneOffset() * 6e4).toISOString().slice(0, 19); })()`,
    );
  }

  async function openAll(): Promise<void> {
    await page.locator("form.item").waitFor();
    await page.evaluate(
      "document.querySelectorAll('details.more').forEach((it) => { it.open = true; })",
    );
  }

  for (const kind of KINDS.filter(({ isReadOnly }) => !isReadOnly)) {
    test(`saves every field of ${kind.words[1].toLowerCase()}`, async () => {
      const { create, get } = methodsOf(kind, operations);
      const { schema = {}, example } = create?.requestBody?.content["application/json"] ?? {};
      const want = { ...(example as JsonObject) };
      for (const field of editedFields(schema, GIVEN)) {
        const isTaken =
          field.oneof !== "" &&
          listFields(schema, document).some(
            ({ name, oneof }) => oneof === field.oneof && name in want,
          );
        if (!isTaken) want[field.name] ??= sampleOf(field);
      }
      const id = `walk-${kind.section}`;
      await openView(page, `#/worldcup/${kind.section}/new`);
      await page.getByRole("heading", { level: 1, name: `New ${kind.words[0]}` }).waitFor();
      await openAll();
      await at("new-id").fill(id);
      await fillObject(schema, fieldOf(kind), want);
      await Promise.all([
        page.waitForURL(`**/studio#/worldcup/${kind.section}/${id}`),
        page.getByRole("button", { name: "Create", exact: true }).click(),
      ]);
      const got = await studio("GET", get?.path.replace(/\{\w+\}/, id) ?? "");
      expect(got[fieldOf(kind)]).toMatchObject({ ...want, id });
    });
  }

  const { create, get } = methodsOf(COMPONENT, operations);
  const component = create?.requestBody?.content["application/json"].schema ?? {};
  const types = listFields(component, document).filter(
    ({ oneof, isDeprecated }) => oneof === "data" && !isDeprecated,
  );
  for (const [index, type] of types.entries()) {
    test(`saves every field of a component of the type ${type.name}`, async () => {
      const id = `walk-${type.name.replaceAll("_", "-")}`;
      const path = create?.path ?? "";
      const needed = listFields(type.schema, document).filter(({ name }) => name === "id");
      const data = Object.fromEntries(needed.map((it) => [it.name, sampleOf(it)]));
      const body = { project_id: "worldcup", type: type.name, [type.name]: data };
      // The form is beside a drawing of the page, which is short.
      await studio("POST", `/ott/pages/v1?page_id=${id}`, { project_id: "worldcup", slug: id });
      await studio("POST", `${path}?page_component_id=${id}&page_id=${id}`, body);
      // The fields that each component has are those of the first one as well.
      const fields = index > 0 ? [] : editedFields(component, [...GIVEN, "type"]);
      const edited = [...fields.filter(({ oneof }) => oneof === ""), type];
      const want = Object.fromEntries(edited.map((it) => [it.name, sampleOf(it)]));
      await openView(page, `#/worldcup/components/${id}`);
      await page.getByText(id, { exact: true }).first().waitFor();
      await fillObject(component, "page_component", want);
      const [response] = await Promise.all([
        page.waitForResponse((it) => it.request().method() === "PATCH"),
        page.getByRole("button", { name: "Save", exact: true }).click(),
      ]);
      expect(response.status(), await response.text()).toBe(200);
      const got = await studio("GET", get?.path.replace(/\{\w+\}/, id) ?? "");
      expect(got.page_component).toMatchObject({ ...want, id, type: type.name });
    });
  }

  const fieldOf = ({ field, name }: Kind) => field ?? name;
});
