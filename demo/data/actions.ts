import { create, toBinary } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { type Action, ActionSchema } from "../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import { RECEIVER_ORIGIN } from "../receiver.ts";

/** The ids of the demo's actions; an action without an id is not created. */
export interface ActionIds {
  /** Requests a clip of the annotation's scene over the Connect protocol. */
  readonly clip: string;
  /** Reports the annotation by a webhook. */
  readonly notification?: string;
}

/** Creates the actions of a project, which target the demo's own receiver. */
export function createActions(projectId: string, ids: ActionIds): readonly Action[] {
  const clip = create(ActionSchema, {
    id: ids.clip,
    projectId,
    name: "Cut a clip",
    kind: {
      case: "connectCall",
      value: {
        baseUrl: RECEIVER_ORIGIN,
        method: "demo.v1.ClipService/CreateClip",
        descriptorSet: describeClipService(),
        request: {
          video_id: "{annotation.video_id}",
          start: "{annotation.start_offset}",
          end: "{annotation.end_offset}",
          lead_in_seconds: "{settings.lead_in_seconds}",
          lead_out_seconds: "{settings.lead_out_seconds}",
        },
      },
    },
  });
  if (ids.notification === undefined) return [clip];
  const notification = create(ActionSchema, {
    id: ids.notification,
    projectId,
    name: "Notify fans",
    kind: { case: "webhook", value: { url: `${RECEIVER_ORIGIN}/notifications` } },
  });
  return [clip, notification];
}

const { STRING, UINT32 } = FieldDescriptorProto_Type;

/** The request of the clip service: its fields in the order of their numbers. */
const CLIP_FIELDS = [
  { name: "video_id", jsonName: "videoId", type: STRING },
  { name: "start", jsonName: "start", type: STRING },
  { name: "end", jsonName: "end", type: STRING },
  { name: "lead_in_seconds", jsonName: "leadInSeconds", type: UINT32 },
  { name: "lead_out_seconds", jsonName: "leadOutSeconds", type: UINT32 },
];

function describeClipService(): Uint8Array {
  const field = CLIP_FIELDS.map((it, index) => ({
    ...it,
    number: index + 1,
    label: FieldDescriptorProto_Label.OPTIONAL,
  }));
  const [inputType, outputType] = [".demo.v1.CreateClipRequest", ".demo.v1.CreateClipResponse"];
  const set = create(FileDescriptorSetSchema, {
    file: [
      {
        name: "demo/v1/clip_service.proto",
        package: "demo.v1",
        syntax: "proto3",
        messageType: [{ name: "CreateClipRequest", field }, { name: "CreateClipResponse" }],
        service: [{ name: "ClipService", method: [{ name: "CreateClip", inputType, outputType }] }],
      },
    ],
  });
  return toBinary(FileDescriptorSetSchema, set);
}
