import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import type { Annotation } from "../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { AnnotationType } from "../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import type { AnnotationsExportConfig, AnnotationsImportConfig } from "../config.ts";
import { importAnnotation } from "../domain/annotations/annotation-import.ts";
import { ALL_VISIBILITIES } from "../domain/content/visibility.ts";
import { Code, DomainError } from "../domain/errors.ts";
import { atLine } from "../domain/transfer/line-fault.ts";
import type { Documents } from "../storage/document-store.ts";
import type { Store } from "../storage/store.ts";
import type { AnnotationText } from "../transfer/annotation-text/annotation-text.ts";
import { parseCsv, printCsv } from "../transfer/annotation-text/csv.ts";
import { parseWebVtt, printWebVtt } from "../transfer/annotation-text/web-vtt.ts";
import { openOrganizationOf } from "./find-organization.ts";
import { printResult } from "./result.ts";
import { withStore } from "./with-store.ts";

/** The number of documents read at a time. */
const PORTION = 500;

/** Runs `marquee annotations export`: writes the annotations of a video as WebVTT chapters or CSV. */
export async function exportAnnotations(config: AnnotationsExportConfig): Promise<void> {
  await withStore(config.database, (store) => exportTo(store, config));
}

/** Runs `marquee annotations import`: loads annotations of a video, all of them or none. */
export async function importAnnotations(config: AnnotationsImportConfig): Promise<void> {
  const texts = await readTexts(config);
  await withStore(config.database, (store) => importInto(store, texts, config));
}

async function exportTo(
  store: Store,
  { videoId, organizationId, format, file }: AnnotationsExportConfig,
): Promise<void> {
  const { documents } = await openOrganizationOf(store, "video", videoId, organizationId);
  const { value: video } = await documents.video.get(videoId);
  const { projectId } = video;
  const all: Annotation[] = [];
  const query = { projectId, videoId, visibilities: ALL_VISIBILITIES, limit: PORTION };
  let page = await store.annotations.list(query);
  all.push(...page.annotations);
  while (page.next !== undefined) {
    page = await store.annotations.list({ ...query, after: page.next });
    all.push(...page.annotations);
  }
  const text =
    format === "csv"
      ? printCsv(all)
      : printWebVtt(all, await readTitles(documents, projectId, all));
  if (file === "-") process.stdout.write(text);
  else await writeFile(file, text);
}

/** Reads the titles of chapters without one of their own: the names of their types. */
async function readTitles(documents: Documents, projectId: string, all: readonly Annotation[]) {
  const types = await findTypes(documents, projectId, all);
  const names = new Map(types.map(({ id, name }) => [id, name]));
  return { titleOf: ({ typeId }: Annotation) => names.get(typeId) ?? "" };
}

/** Finds the types of annotations within their project: another project may have types with the same ids. */
async function findTypes(
  documents: Documents,
  projectId: string,
  all: readonly Annotation[],
): Promise<AnnotationType[]> {
  const ids = [...new Set(all.map(({ typeId }) => typeId))];
  const found = await inPortions(ids, (some) => documents.annotation_type.getMany(some));
  return found.map(({ value }) => value).filter((type) => type.projectId === projectId);
}

/** Writes all annotations of a text in one transaction, without running actions. */
async function importInto(
  store: Store,
  texts: readonly AnnotationText[],
  config: AnnotationsImportConfig,
): Promise<void> {
  const { videoId, organizationId, isDryRun } = config;
  const own = await openOrganizationOf(store, "video", videoId, organizationId);
  const { value: video } = await own.documents.video.get(videoId);
  const scope = { projectIds: [video.projectId] };
  const { planned, ...counts } = await store.transaction(scope, async (unit) => {
    const { documents } = unit.in(own.organizationId);
    const counts = { created: 0, updated: 0, unchanged: 0 };
    const planned: { outcome: string; kind: string; id: string }[] = [];
    const ids = texts.map(({ annotation }) => annotation.id).filter((id) => id !== "");
    const kept = await inPortions(ids, (some) => documents.annotation.getMany(some));
    const byId = new Map(kept.map(({ value }) => [value.id, value]));
    const named = texts.map(({ annotation }) => annotation);
    const types = await findTypes(documents, video.projectId, named);
    const typeIds = new Set(types.map(({ id }) => id));
    const parts = { typeExists: (id: string) => typeIds.has(id), createId: randomUUID };
    for (const { line, annotation: text } of texts) {
      const { outcome, annotation } = await atLine(line, async () =>
        importAnnotation(text, byId.get(text.id), video, parts),
      );
      counts[outcome] += 1;
      if (isDryRun) planned.push({ outcome, kind: "annotation", id: annotation.id });
      else if (outcome === "created") await documents.annotation.create(annotation);
      else if (outcome === "updated") {
        await documents.annotation.update(annotation.id, () => annotation);
      }
    }
    return { planned, ...counts };
  });
  const { created, updated, unchanged } = counts;
  for (const one of planned) printResult(config, one, `${one.outcome} ${one.kind} ${one.id}\n`);
  printResult(
    config,
    counts,
    `${isDryRun ? "would import" : "imported"} ${texts.length} ` +
      `(${created} created, ${updated} updated, ${unchanged} unchanged)\n`,
  );
}

async function readTexts({ file, format }: AnnotationsImportConfig): Promise<AnnotationText[]> {
  const bytes = file === "-" ? await buffer(process.stdin) : await readFile(file);
  const text = decode(bytes);
  return format === "csv" ? parseCsv(text) : parseWebVtt(text);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new DomainError(Code.INVALID_ARGUMENT, "TEXT_INVALID", "the text is not UTF-8");
  }
}

async function inPortions<T>(
  ids: readonly string[],
  read: (ids: readonly string[]) => Promise<readonly T[]>,
): Promise<T[]> {
  const all: T[] = [];
  for (let at = 0; at < ids.length; at += PORTION) {
    all.push(...(await read(ids.slice(at, at + PORTION))));
  }
  return all;
}
