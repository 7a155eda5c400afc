import { clip } from "../domain/messages/clip.ts";

/** Quotes a caller's text for a message: escaped, and truncated if long. */
export function quote(text: string): string {
  return JSON.stringify(clip(text));
}
