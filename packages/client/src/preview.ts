import type { Interceptor } from "@connectrpc/connect";
import { invalidValue } from "./input.ts";

/** The state of content that a preview shows. */
export interface PreviewOptions {
  /** The id of a release, or of at most five: later ones are on top. Default none. */
  readonly release?: string | readonly string[] | undefined;
  /**
   * The moment to preview, at most five years ahead: releases that are scheduled until then are applied, and filters
   * compare with it. A string has a time zone, such as `2026-12-05T20:00:00Z`. Default now.
   */
  readonly time?: Date | string | undefined;
  /** `public` shows only what a public key reads. Default: all that the preview key reads. */
  readonly audience?: "public" | undefined;
}

/** The most releases of one preview. */
const RELEASES = 5;

/**
 * Creates an interceptor of a Delivery API client with a preview key: its reads show releases and a moment. Other keys
 * ignore it. Without options, reads show the current version. Throws a `TypeError` for an option of the wrong form.
 */
export function preview({ release = [], time, audience }: PreviewOptions): Interceptor {
  const headers: string[][] = [];
  const ids = [release].flat();
  if (ids.length > RELEASES || !ids.every(isId)) {
    throw invalidValue("release", `the id of a release, or at most ${RELEASES} of them`, release);
  }
  if (ids.length > 0) headers.push(["x-release-id", ids.join(",")]);
  if (time !== undefined) headers.push(["x-preview-time", printTime(time)]);
  if (audience !== undefined) {
    if (audience !== "public") throw invalidValue("audience", "public", audience);
    headers.push(["x-preview-audience", audience]);
  }
  return (next) => (request) => {
    for (const [name = "", value = ""] of headers) request.header.set(name, value);
    return next(request);
  };
}

function isId(id: unknown): boolean {
  return typeof id === "string" && /^[a-zA-Z0-9][\w.~-]{0,63}$/.test(id);
}

function printTime(time: Date | string): string {
  const moment = new Date(time);
  const isZoned = time instanceof Date || /(?:Z|[+-]\d\d:\d\d)$/i.test(time);
  if (Number.isNaN(moment.getTime()) || !isZoned) {
    throw invalidValue("time", "a Date or a time such as 2026-07-19T19:00:00Z", time);
  }
  return moment.toISOString();
}
