import { equals } from "@bufbuild/protobuf";
import {
  type Annotation,
  AnnotationSchema,
} from "../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { Video } from "../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { applyChapter, type Chapter, toChapters } from "../domain/annotations/chapters.ts";
import { invalidField } from "../domain/base/field-errors.ts";
import { ALL_VISIBILITIES } from "../domain/content/visibility.ts";
import { atLine } from "../domain/records/line-error.ts";
import type { Documents } from "../storage/contract/document-store.ts";
import type { OrganizationStore, Store } from "../storage/contract/store.ts";
import type { ChapterLine } from "./web-vtt.ts";

/** The number of documents read at a time. */
const PORTION = 500;

/** Rolls back the transaction of a dry run. */
const ROLLBACK = new Error("a dry run is rolled back");

/** Lists the annotations of a video as chapters. NOT_FOUND if there is no such video. */
export async function listChapters(
  store: Store,
  { documents }: OrganizationStore,
  videoId: string,
): Promise<Chapter[]> {
  const { value: video } = await documents.video.get(videoId);
  return readChapters(documents, video, await listAnnotations(store, video));
}

/** The result of importing a chapter. */
export interface ChapterOutcome {
  readonly outcome: "created" | "updated" | "unchanged";
  readonly kind: "annotation";
  readonly id: string;
}

/** The options of {@link writeChapters}. */
export interface ChapterOptions {
  /** True to write nothing. */
  readonly isDryRun: boolean;
  readonly createId: () => string;
  readonly clock: () => Date;
}

/**
 * Writes chapters as annotations of a video, in one transaction and without running actions. A DomainError of a chapter
 * names its line.
 */
export async function writeChapters(
  store: Store,
  { organizationId, videoId }: { readonly organizationId: string; readonly videoId: string },
  lines: readonly ChapterLine[],
  { isDryRun, createId, clock }: ChapterOptions,
): Promise<readonly ChapterOutcome[]> {
  const { value: video } = await store.in(organizationId).documents.video.get(videoId);
  const scope = { projectIds: [video.projectId] };
  let outcomes: ChapterOutcome[] = [];
  await store
    .transaction(scope, async (unit) => {
      const { documents } = unit.in(organizationId);
      const writeChapter = await openVideo(unit, documents, video, createId);
      outcomes = [];
      let first = Infinity;
      for (const { line, chapter } of lines) {
        const { revision, ...outcome } = await atLine(line, () => writeChapter(chapter));
        first = Math.min(first, revision);
        outcomes.push(outcome);
      }
      const gap = { after: first - 1, now: clock() };
      if (first < Infinity) await unit.history.addGaps(video.projectId, gap);
      if (isDryRun) throw ROLLBACK;
    })
    .catch((cause: unknown) => {
      if (cause !== ROLLBACK) throw cause;
    });
  return outcomes;
}

/**
 * Opens a video for chapters to be written. They are compared with those that its annotations are exported as.
 * INVALID_ARGUMENT `ID_TAKEN` for the id of another video's annotation.
 */
async function openVideo(unit: Store, documents: Documents, video: Video, createId: () => string) {
  const annotations = await listAnnotations(unit, video);
  const chapters = await readChapters(documents, video, annotations);
  const stored = new Map(annotations.map((annotation) => [annotation.id, annotation]));
  const shown = new Map(chapters.map((chapter) => [chapter.id, chapter]));
  return async (chapter: Chapter): Promise<ChapterOutcome & { readonly revision: number }> => {
    const before = stored.get(chapter.id);
    const annotation = applyChapter(
      chapter,
      video,
      before && { annotation: before, shown: shown.get(chapter.id) ?? chapter },
      createId,
    );
    const { id } = annotation;
    const result = (outcome: ChapterOutcome["outcome"], { revision } = { revision: Infinity }) =>
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
