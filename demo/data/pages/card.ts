import type { JsonObject } from "@bufbuild/protobuf";

/** A card with an image, a title and the start of an event. */
export const eventCard: JsonObject = {
  kind: "poster",
  title: { keypath: "title" },
  subtitle: { keypath: "start_time", format: "date" },
};

/** A card with an image, a title and the result of a match. */
export const resultCard: JsonObject = {
  kind: "poster",
  title: { keypath: "title" },
  subtitle: { keypath: "fields.result" },
};

/** A card with an image and a title, for films and clips. */
export const posterCard: JsonObject = { kind: "poster", title: { keypath: "title" } };

/** A round card, for people and teams. */
export const roundCard: JsonObject = { kind: "round", title: { keypath: "title" } };

/** A wide image with round corners. */
export const wideThumbnail: JsonObject = { aspect_ratio: "16:9", show_duration: true };

/** A tall image, as on a poster. */
export const tallThumbnail: JsonObject = { aspect_ratio: "2:3" };
