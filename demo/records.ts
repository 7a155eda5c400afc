import { readFile } from "node:fs/promises";
import { create, isMessage, type Message } from "@bufbuild/protobuf";
import { CreativeWorkSchema } from "../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EventSchema } from "../gen/svc/cda/cms/event/v1/event_pb.ts";
import { BindingSchema } from "../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import type { RecordItem } from "../src/domain/records/record.ts";
import { readRecords } from "../src/transfer/import-lines.ts";
import { FILE_URL, ORGANIZATION, PICTURE_PATH } from "./ids.ts";
import { LEAVING, leaveSoon, moveReplay, REPLAY } from "./replay.ts";

/** The size of a piece of the file that is read at once, in bytes. */
const PIECE = 64 * 1024;

/** The owner's right to create organizations, which no file can grant. */
const OPERATOR = create(BindingSchema, {
  id: "account-owner-operator-1",
  organizationId: ORGANIZATION,
  accountId: "account-owner",
  roleId: "operator",
  resourceKey: `${ORGANIZATION}/organization`,
});

/** Where and when the demo is loaded; by default as in its file. */
export interface DemoLoad {
  /** The URL of this service, which serves the images. */
  readonly url?: string;
  /** The time that the replays are moved to. A film leaves soon after it. */
  readonly now?: Date;
}

/** Reads the demo's records for an import into an empty database. */
export async function* readDemoRecords({
  url = FILE_URL,
  now,
}: DemoLoad = {}): AsyncGenerator<readonly RecordItem[]> {
  const file = await readRecordFile("demo.ndjson", url);
  for await (const items of readRecords(split(file))) {
    yield now === undefined
      ? items
      : items.map((item) => ({ ...item, message: moveTo(now, item.message) }) as RecordItem);
  }
  yield [{ kind: "binding", message: OPERATOR, line: 0 }];
}

/** Moves the replays to a time, and lets a film leave soon after it. */
function moveTo(now: Date, message: Message): Message {
  if (isMessage(message, EventSchema) && message.contentType === REPLAY) {
    return moveReplay(message, now);
  }
  if (isMessage(message, CreativeWorkSchema) && message.id === LEAVING) {
    return leaveSoon(message, now);
  }
  return message;
}

/** Reads a file of records as `marquee export` writes them, with the URLs of its pictures at this service. */
export async function readRecordFile(name: string, url: string): Promise<Buffer> {
  const file = await readFile(new URL(name, import.meta.url));
  if (url === FILE_URL) return file;
  return Buffer.from(String(file).replaceAll(FILE_URL + PICTURE_PATH, url + PICTURE_PATH));
}

/** Yields a file in pieces, because records from one read stay in memory until they are written. */
function* split(file: Buffer): Generator<Buffer> {
  for (let at = 0; at < file.length; at += PIECE) yield file.subarray(at, at + PIECE);
}
