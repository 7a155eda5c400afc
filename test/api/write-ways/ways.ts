import { isReleasable } from "../../../src/domain/kinds.ts";
import { LineError } from "../../../src/domain/records/line-error.ts";
import type { RecordKind } from "../../../src/domain/records/record.ts";
import { type HttpResponse, reasonOf } from "../../harness/http.ts";
import { COLLECTIONS } from "../collections.ts";
import { type Line, nameOf, type World } from "./world.ts";
import type { Body, Write } from "./writes.ts";

/** A way of writing. */
export interface Way {
  /**
   * Makes writes that single calls have made, and then one that they have refused, if given. Returns why it is
   * refused; undefined: it is not.
   */
  write(writes: readonly Write[], refused?: Write): Promise<string | undefined>;
}

/** Makes each write by a call of its own. */
export class SingleCalls implements Way {
  readonly #world: World;
  /** The fields that name the release to write into; none: the current version is written. */
  readonly #release: Readonly<Record<string, string>>;

  constructor(world: World, release: Readonly<Record<string, string>> = {}) {
    this.#world = world;
    this.#release = release;
  }

  async write(writes: readonly Write[], refused?: Write): Promise<string | undefined> {
    for (const write of writes) check(write, await this.call(write));
    return refused && reasonOf(await this.call(refused));
  }

  /** Makes one write. */
  call(write: Write): Promise<HttpResponse> {
    const { kind, id } = write;
    const path = COLLECTIONS[kind] ?? "";
    const release = this.#release;
    const withQuery = (query: Readonly<Record<string, string>>) =>
      new URLSearchParams({ ...query, ...release }).toString();
    switch (write.verb) {
      case "create": {
        const { at } = write;
        const place = at && { page_id: at.pageId, position: String(at.position) };
        const query = withQuery({ [`${kind}_id`]: id, ...place });
        const body = { project_id: this.#world.projectId, ...write.body };
        return this.#world.call("POST", `${path}?${query}`, body);
      }
      case "update": {
        const field = kind === "ruleset" ? "video_protection_ruleset" : kind;
        const update_mask = Object.keys(write.body).join();
        const body = { [field]: write.body, update_mask, ...release };
        return this.#world.call("PATCH", `${path}/${id}`, body);
      }
      case "delete": {
        const query = withQuery(write.isForced && mayForce(kind) ? { force: "true" } : {});
        return this.#world.call("DELETE", `${path}/${id}?${query}`);
      }
      case "reorder": {
        const body = { page_component_ids: write.componentIds, ...release };
        return this.#world.call("POST", `${path}/${id}:reorderComponents`, body);
      }
      default:
        return write satisfies never;
    }
  }
}

/** Sends writes as records; deletes by single calls, because a record deletes nothing. */
export class Records implements Way {
  readonly #world: World;
  readonly #mode: "EACH" | "TOGETHER";
  readonly #single: SingleCalls;

  constructor(world: World, mode: "EACH" | "TOGETHER") {
    this.#world = world;
    this.#mode = mode;
    this.#single = new SingleCalls(world);
  }

  async write(writes: readonly Write[], refused?: Write): Promise<string | undefined> {
    for (const run of toRuns(writes, isRecord)) {
      const [first] = run;
      if (first === undefined) continue;
      if (!isRecord(first)) await this.#single.write(run);
      else if (
        this.#mode === "EACH" &&
        refused &&
        isRecord(refused) &&
        run.at(-1) === writes.at(-1)
      ) {
        return this.#send(run, refused);
      } else {
        const reason = await this.#send(run);
        if (reason !== undefined) throw new Error(`${reason}: ${JSON.stringify(run)}`);
      }
    }
    if (refused === undefined) return undefined;
    return isRecord(refused) ? this.#send([], refused) : this.#single.write([], refused);
  }

  /** Sends writes, of which the last one is refused if given; returns its reason, or that of another. */
  async #send(writes: readonly Write[], refused?: Write): Promise<string | undefined> {
    const all = refused === undefined ? writes : [...writes, refused];
    const records = (await Promise.all(all.map((it) => this.#toRecords(it)))).flat();
    const mode = `WRITE_MODE_${this.#mode}`;
    const body = { project_id: this.#world.projectId, records, mode };
    const got = await this.#world.call("POST", "cms/records/v1:write", body);
    if (got.status !== 200) return reasonOf(got);
    const errors = got.json.results.flatMap((it: { error?: { reason: string } }) => it.error ?? []);
    return errors.length > 0 ? errors.map((it: { reason: string }) => it.reason).join() : undefined;
  }

  async #toRecords(write: Write): Promise<readonly object[]> {
    if (write.verb === "reorder") {
      const list = await this.#world.call(
        "GET",
        `${COLLECTIONS.page_component}?page_id=${write.id}`,
      );
      const components: readonly { readonly id: string }[] = list.json.page_components;
      return write.componentIds.map((id) => ({
        page_component: {
          page_id: write.id,
          page_component: components.find((it) => it.id === id),
        },
      }));
    }
    if (write.verb === "delete") return [];
    const resource = { id: write.id, ...defaultsOf(write), ...write.body };
    const mask = write.verb === "update" && { fields_mask: Object.keys(write.body).join() };
    return [{ ...wrap(write, resource), ...mask }];
  }
}

/** Returns what a create of a single call sets, and a record has to say. */
function defaultsOf({ kind, verb }: Write): object {
  if (kind !== "annotation" || verb !== "create") return {};
  return { source_type: "SOURCE_TYPE_MANUAL", visibility: "VISIBILITY_PUBLISHED" };
}

/** Writes drafts of a release, which is applied; kinds without drafts by single calls. */
export class AppliedRelease implements Way {
  readonly #world: World;
  readonly #single: SingleCalls;
  #count = 0;

  constructor(world: World) {
    this.#world = world;
    this.#single = new SingleCalls(world);
  }

  async write(writes: readonly Write[], refused?: Write): Promise<string | undefined> {
    // A release deletes last, so that a full project has no room for what it creates.
    for (const run of toRuns(writes, (it) => isDraft(it) && it.verb === "delete").flatMap((it) =>
      toRuns(it, isDraft),
    )) {
      const [first] = run;
      if (first === undefined) continue;
      if (!isDraft(first)) await this.#single.write(run);
      else {
        const reason = await this.#apply(run);
        if (reason !== undefined) throw new Error(`${reason}: ${JSON.stringify(run)}`);
      }
    }
    if (refused === undefined) return undefined;
    return isDraft(refused) ? this.#apply([refused]) : this.#single.write([], refused);
  }

  /** Drafts writes and applies them; returns the reason of the first that is refused, and then none is written. */
  async #apply(writes: readonly Write[]): Promise<string | undefined> {
    this.#count += 1;
    const release_id = `r-${this.#count}`;
    const release = { project_id: this.#world.projectId, name: release_id };
    const path = "cms/releases/v1";
    await this.#world.call("POST", `${path}?release_id=${release_id}`, release);
    const drafts = new SingleCalls(this.#world, { release_id });
    let reason: string | undefined;
    for (const write of writes) reason ??= reasonOf(await drafts.call(write));
    reason ??= reasonOf(await this.#world.call("POST", `${path}/${release_id}:apply`, {}));
    await this.#world.call("DELETE", `${path}/${release_id}`);
    return reason;
  }
}

/** Imports the lines that the export of single calls has; deletes by single calls, because a file deletes nothing. */
export class FileImport implements Way {
  readonly #world: World;
  readonly #source: World;
  readonly #single: SingleCalls;

  constructor(world: World, source: World) {
    this.#world = world;
    this.#source = source;
    this.#single = new SingleCalls(world);
  }

  async write(writes: readonly Write[], refused?: Write): Promise<string | undefined> {
    const lines = await this.#source.export();
    for (const run of toRuns(writes, isRecord)) {
      const [first] = run;
      if (first === undefined) continue;
      if (isRecord(first)) await this.#world.import(linesOf(run, lines));
      else await this.#single.write(run);
    }
    if (refused === undefined) return undefined;
    if (!isRecord(refused)) return this.#single.write([], refused);
    try {
      await this.#world.import(toFile(refused, lines));
      return undefined;
    } catch (error) {
      if (error instanceof LineError) return error.original.reason;
      throw error;
    }
  }
}

/** Returns the lines of an export that writes have changed: of a page whose order has, all components. */
function linesOf(writes: readonly Write[], lines: readonly Line[]): readonly Line[] {
  const changed = new Set(writes.map(({ kind, id }) => `${kind}:${id}`));
  const pages = writes.flatMap((write) =>
    write.verb === "reorder"
      ? [write.id]
      : write.verb === "create" && write.at
        ? [write.at.pageId]
        : [],
  );
  return lines.filter((line) => {
    const { kind, id } = nameOf(line);
    if (changed.has(`${kind}:${id}`)) return true;
    return kind === "page_component" && pages.includes(Object(line.page_component).page_id);
  });
}

/** Returns the lines of a write that is refused: of the resource as it would be, and of the order of its page. */
function toFile(write: Write, lines: readonly Line[]): readonly Line[] {
  const stored = lines.find((line) => {
    const { kind, id } = nameOf(line);
    return kind === write.kind && id === write.id;
  });
  if (write.verb === "reorder") {
    const parts = linesOf([write], lines).filter((line) => "page_component" in line);
    return write.componentIds.flatMap((id) => parts.filter((line) => nameOf(line).id === id));
  }
  if (write.verb === "delete") return [];
  const project_id = "project";
  if (write.verb === "create")
    return [wrap(write, { project_id, id: write.id, ...write.body }) as Line];
  const { kind } = write;
  const old =
    kind === "page_component" ? Object(stored?.page_component).page_component : stored?.[kind];
  const isData = (name: string) => ["banner_collection", "filter", "text"].includes(name);
  const hasData = Object.keys(write.body).some(isData);
  const kept = Object.entries(Object(old)).filter(([name]) => !(hasData && isData(name)));
  return [
    wrap(write, { project_id, id: write.id, ...Object.fromEntries(kept), ...write.body }) as Line,
  ];
}

/** Wraps a resource as a record. */
function wrap(write: Write & { readonly verb: "create" | "update" }, resource: Body): object {
  const { kind } = write;
  if (kind !== "page_component") return { [kind]: resource };
  const place =
    write.verb === "create"
      ? { page_id: write.at?.pageId, after: write.at?.after }
      : { page_id: write.pageId };
  return { page_component: { ...place, page_component: resource } };
}

/** Cuts writes into runs of those that have the same trait. */
function toRuns(writes: readonly Write[], traitOf: (write: Write) => unknown): readonly Write[][] {
  const runs: Write[][] = [];
  for (const write of writes) {
    const last = runs.at(-1);
    if (last?.[0] !== undefined && traitOf(last[0]) === traitOf(write)) last.push(write);
    else runs.push([write]);
  }
  return runs;
}

function isRecord(write: Write): boolean {
  return write.verb === "reorder" ? write.componentIds.length > 0 : write.verb !== "delete";
}

function isDraft({ kind }: Write): boolean {
  return isReleasable(kind);
}

/** The kinds that nothing refers to have no deletion by force. */
function mayForce(kind: RecordKind): boolean {
  return !["annotation", "page_component", "ruleset"].includes(kind);
}

function check(write: Write, got: HttpResponse): void {
  if (got.status !== 200) throw new Error(`${JSON.stringify(write)}: ${got.text}`);
}
