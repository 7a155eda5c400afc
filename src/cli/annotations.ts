import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { equals } from "@bufbuild/protobuf";
import {
  type Annotation,
  AnnotationSchema,
} from "../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { Video } from "../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { applyChapter, type Chapter, toChapters } from "../domain/annotations/chapters.ts";
import { Code, DomainError } from "../domain/base/errors.ts";
import { invalidField } from "../domain/base/field-errors.ts";
import { ALL_VISIBILITIES } from "../domain/content/visibility.ts";
import { atLine } from "../domain/records/line-error.ts";
import type { Documents } from "../storage/contract/document-store.ts";
import type { Store } from "../storage/contract/store.ts";
import { type ChapterLine, parseWebVtt, printWebVtt } from "../transfer/web-vtt.ts";
import type { ANNOTATIONS_EXPORT, ANNOTATIONS_IMPORT, FileConfig } from "./command-settings.ts";
import { openOrganizationOf, printResult, withStore } from "./store-command.ts";

/** The number of documents read at a time. */
const PORTION = 500;

/** Runs `marquee annotations export`: writes the annotations of a video as WebVTT chapters. */
export async function exportAnnotations(
  config: FileConfig<typeof ANNOTATIONS_EXPORT>,
): Promise<void> {
  const { videoId, organizationId, file } = config;
  await withStore(config.database, async (store) => {
    const { documents } = await openOrganizationOf(store, "video", videoId, organizationId);
    const { value: video } = await documents.video.get(videoId);
    const annotations = await listAnnotations(store, video);
    const text = printWebVtt(await readChapters(documents, video, annotations));
    if (file === "-") process.stdout.write(text);
    else await writeFile(file, text);
  });
}

/** Runs `marquee annotations import`: loads the chapters of a video, all of them or none. */
export async function importAnnotations(
  config: FileConfig<typeof ANNOTATIONS_IMPORT>,
): Promise<void> {
  const lines = parseWebVtt(await readText(config.file));
  await withStore(config.database, (store) => importChapters(store, lines, config));
}

/** Writes all chapters in one transaction, without running actions; a dry run is rolled back. */
async function importChapters(
  store: Store,
  lines: readonly ChapterLine[],
  config: FileConfig<typeof ANNOTATIONS_IMPORT>,
): Promise<void> {
  const { videoId, organizationId: chosen, isDryRun } = config;
  const { organizationId, documents } = await openOrganizationOf(store, "video", videoId, chosen);
  const { value: video } = await documents.video.get(videoId);
  const scope = { projectIds: [video.projectId] };
  let outcomes: Outcome[] = [];
  await store
    .transaction(scope, async (unit) => {
      const writeChapter = await openVideo(unit, unit.in(organizationId).documents, video);
      outcomes = [];
      let first = Infinity;
      for (const { line, chapter } of lines) {
        const { revision, ...outcome } = await atLine(line, () => writeChapter(chapter));
        first = Math.min(first, revision);
        outcomes.push(outcome);
      }
      const now = new Date();
      if (first < Infinity) await unit.history.addGaps(video.projectId, { after: first - 1, now });
      if (isDryRun) throw ROLLBACK;
    })
    .catch((cause: unknown) => {
      if (cause !== ROLLBACK) throw cause;
    });
  if (isDryRun) {
    const changes = outcomes.filter(({ outcome }) => outcome !== "unchanged");
    for (const it of changes) printResult(config, it, `${it.outcome} ${it.kind} ${it.id}\n`);
  }
  const count = (name: Outcome["outcome"]) =>
    outcomes.filter(({ outcome }) => outcome === name).length;
  const counts = {
    created: count("created"),
    updated: count("updated"),
    unchanged: count("unchanged"),
  };
  printResult(
    config,
    counts,
    `${isDryRun ? "would import" : "imported"} ${lines.length} ` +
      `(${counts.created} created, ${counts.updated} updated, ${counts.unchanged} unchanged)\n`,
  );
}

/** Rolls back the transaction of a dry run. */
const ROLLBACK = new Error("a dry run is rolled back");

/** The result of importing a chapter. */
interface Outcome {
  readonly outcome: "created" | "updated" | "unchanged";
  readonly kind: "annotation";
  readonly id: string;
}

/**
 * Opens a video for chapters to be written. They are compared with those that its annotations are exported as.
 * INVALID_ARGUMENT `ID_TAKEN` for the id of another video's annotation.
 */
async function openVideo(unit: Store, documents: Documents, video: Video) {
  const annotations = await listAnnotations(unit, video);
  const chapters = await readChapters(documents, video, annotations);
  const stored = new Map(annotations.map((annotation) => [annotation.id, annotation]));
  const shown = new Map(chapters.map((chapter) => [chapter.id, chapter]));
  return async (chapter: Chapter): Promise<Outcome & { readonly revision: number }> => {
    const before = stored.get(chapter.id);
    const annotation = applyChapter(
      chapter,
      video,
      before && { annotation: before, shown: shown.get(chapter.id) ?? chapter },
      randomUUID,
    );
    const { id } = annotation;
    const result = (outcome: Outcome["outcome"], { revision } = { revision: Infinity }) =>
      ({ outcome, kind: "annotation", id, revision }) as const;
    if (before === undefined) {
      const [taken] = await documents.annotation.getMany([id]);
      if (taken !== undefined) {
        throw invalidField("id", "ID_TAKEN", "already belongs to an annotation of another video");
      }
      return result("created", await documents.annotation.create(annotation));
    }
    if (equals(AnnotationSchema, before, annotation)) return result("unchanged");
    return result("updated", await documents.annotation.update(id, () => annotation));
  };
}

async function listAnnotations(store: Store, { projectId, id }: Video): Promise<Annotation[]> {
  const query = { projectId, videoId: id, visibilities: ALL_VISIBILITIES, limit: PORTION };
  let page = await store.annotations.list(query);
  const all = [...page.annotations];
  while (page.next !== undefined) {
    page = await store.annotations.list({ ...query, after: page.next });
    all.push(...page.annotations);
  }
  return all;
}

/** Returns the chapters of annotations; one without a label is titled by the name of its type. */
async function readChapters(
  documents: Documents,
  { projectId }: Video,
  annotations: readonly Annotation[],
): Promise<Chapter[]> {
  const ids = [...new Set(annotations.map(({ typeId }) => typeId))];
  const names = new Map<string, string>();
  for (let first = 0; first < ids.length; first += PORTION) {
    const types = await documents.annotation_type.getMany(ids.slice(first, first + PORTION));
    for (const { value } of types) {
      // Another project may have types with the same ids.
      if (value.projectId === projectId) names.set(value.id, value.name);
    }
  }
  return toChapters(annotations, ({ typeId }) => names.get(typeId) ?? "");
}

async function readText(file: string): Promise<string> {
  const bytes = file === "-" ? await buffer(process.stdin) : await readFile(file);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new DomainError(Code.INVALID_ARGUMENT, "TEXT_INVALID", "the text is not UTF-8");
  }
}
