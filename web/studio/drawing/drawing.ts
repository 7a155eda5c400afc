import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Page } from "../../../packages/client/src/delivery.ts";
import type { JsonOf } from "./json-of.ts";
import type { Read } from "./reads.ts";

/** How the components of a page are seen. */
export interface Drawing {
  readonly pageId: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly session: JsonObject;
  /** A tag such as `en`. */
  readonly language: string;
  /** The time that is shown, in milliseconds since 1970. */
  readonly now: number;
  /** The pages, for links to the one about an item. */
  readonly pages: readonly JsonOf<Page>[];
  readonly read: Read;
  readonly open: OpenPage;
  /** Sets or, with undefined, removes a value of the session. */
  setSession(key: string, value: JsonValue | undefined): void;
}

/** Opens a page of the preview. */
export type OpenPage = (slug: string, parameters: Record<string, string>) => void;

export const DrawingContext = createContext<Drawing | undefined>(undefined);

/** Returns how the drawn page is seen. */
export function useDrawing(): Drawing {
  const drawing = useContext(DrawingContext);
  if (drawing === undefined) throw new Error("a component outside of a drawn page");
  return drawing;
}
