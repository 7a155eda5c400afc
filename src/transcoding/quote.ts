import { clip } from "../domain/messages/clip.ts";

/** Puts text of a caller between double quotes, escaped, and cut when long. */
export function quote(text: string): string {
  return JSON.stringify(clip(text));
}
