import { expect } from "vitest";
import { PageService } from "../../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import { PageComponentService } from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import type { Marquee } from "../../harness/marquee.ts";
import type { JsonMessage } from "../methods.ts";
import { getPage, type ShownJson } from "../pages/pages.ts";
import { type CallStudio, callStudio, type StudioAnswer, type StudioFace } from "../studio.ts";

/** Pages whose components are texts that are named by letters: their ids are `<page>-<letter>`. */
export interface LetterPages {
  readonly callPages: CallStudio;
  readonly callComponents: CallStudio;
  /** Makes a page with components in this order, some of them in groups. */
  make(letters?: string, groups?: Readonly<Record<string, string>>): Promise<string>;
  /** Creates a component; without a letter the service makes its id. */
  add(
    pageId: string,
    letter: string,
    more?: { readonly position?: number; readonly fields?: JsonMessage },
  ): Promise<StudioAnswer>;
  /** The letters of a page, as management lists them and as delivery shows them. */
  read(pageId: string): Promise<[managed: string, shown: string]>;
}

let count = 0;

/** A text that everybody sees. */
export const letter = (fields: JsonMessage = {}): JsonMessage => ({
  projectId: "worldcup",
  type: "text",
  visibility: "VISIBILITY_PUBLISHED",
  text: { html: "<p>Hi</p>" },
  ...fields,
});

/** Makes the calls over one face. */
export function letterPages(marquee: Marquee, face: StudioFace): LetterPages {
  const callPages = callStudio(marquee, PageService, face);
  const callComponents = callStudio(marquee, PageComponentService, face);

  const add: LetterPages["add"] = (pageId, name, { position, fields } = {}) =>
    callComponents("CreatePageComponent", {
      pageComponent: letter(fields),
      pageId,
      ...(name !== "" && { pageComponentId: `${pageId}-${name}` }),
      ...(position !== undefined && { position }),
    });
  return {
    callPages,
    callComponents,
    add,

    async make(letters = "", groups = {}) {
      count += 1;
      const pageId = `p${count}`;
      const page = { projectId: "worldcup", slug: pageId, visibility: "VISIBILITY_PUBLISHED" };
      const got = await callPages("CreatePage", { page, pageId });
      expect(got.status, got.text).toBe(200);
      for (const name of letters) {
        const made = await add(pageId, name, { fields: { groupId: groups[name] ?? "" } });
        expect(made.status, made.text).toBe(200);
      }
      return pageId;
    },

    async read(pageId) {
      const listed = await callComponents("ListPageComponents", { pageId });
      const shown = await getPage(marquee, { id: pageId });
      const components: readonly ShownJson[] = shown.json.components ?? [];
      const toLetters = (items: readonly { readonly id: string }[] = []) =>
        items.map(({ id }) => id.slice(pageId.length + 1)).join("");
      return [
        toLetters(listed.value.pageComponents),
        toLetters(components.map(({ component }) => component)),
      ];
    },
  };
}
