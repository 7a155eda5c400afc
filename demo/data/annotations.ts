import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type Duration, DurationSchema } from "@bufbuild/protobuf/wkt";
import {
  type Annotation,
  AnnotationSchema,
  SourceType,
} from "../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import {
  type AnnotationType,
  AnnotationTypeSchema,
} from "../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { WORLD_CUP } from "../ids.ts";
import { goalId, matchId, matchKey, matchVideoId, playerId, teamId } from "./ids.ts";
import { toVideoSeconds } from "./match-clock.ts";
import type { Goal, Match } from "./world-cup.ts";

/** The action that cuts the scene of a goal. */
export const CLIP = "clip";

/** The action that reports a goal. */
export const NOTIFICATION = "notification";

const GOAL = "type-goal";
const KICK_OFF = "type-kickoff";
const LAST_FINAL = "match-2026-104";

type Source = Pick<Annotation, "sourceType" | "sourceId" | "confidence">;

/** Creates the annotation types: goals, which run actions, and kick-offs, which do not. */
export function createAnnotationTypes(): readonly AnnotationType[] {
  return [
    create(AnnotationTypeSchema, {
      id: GOAL,
      projectId: WORLD_CUP,
      name: "goal",
      actionConfiguration: {
        configuration: {
          [CLIP]: { enabled: true, lead_in_seconds: 10, lead_out_seconds: 20 },
          [NOTIFICATION]: { enabled: true, channel: "goals" },
        },
        conditions: [
          {
            confidenceThreshold: 0.9,
            sourceTypes: { types: ["SOURCE_TYPE_MANUAL", "SOURCE_TYPE_AUTOMATIC"] },
          },
        ],
      },
    }),
    create(AnnotationTypeSchema, { id: KICK_OFF, projectId: WORLD_CUP, name: "kickoff" }),
  ];
}

/** The kick-offs of the last final that are not published yet. */
const UNPUBLISHED = [
  { key: "second-half", minute: "46", visibility: Visibility.UNLISTED },
  { key: "extra-time", minute: "91", visibility: Visibility.HIDDEN },
];

/** Creates the annotations of a match: its kick-off, then its goals in order. */
export function createAnnotations(match: Match): readonly Annotation[] {
  return [
    toAnnotation(match, {
      id: `kickoff-${matchKey(match)}`,
      typeId: KICK_OFF,
      ...toScene(0),
      entityIds: [teamId(match.home), teamId(match.away)],
      sourceType: SourceType.MANUAL,
      confidence: 1,
      timerLabel: "0",
    }),
    ...match.goals.map((goal, index) => toGoal(match, goal, index + 1)),
    ...(matchId(match) === LAST_FINAL ? createUnpublished(match) : []),
  ];
}

function createUnpublished(match: Match): readonly Annotation[] {
  return UNPUBLISHED.map(({ key, minute, visibility }) =>
    toAnnotation(match, {
      id: `kickoff-${matchKey(match)}-${key}`,
      typeId: KICK_OFF,
      ...toScene(toVideoSeconds(minute)),
      entityIds: [teamId(match.home), teamId(match.away)],
      sourceType: SourceType.MANUAL,
      confidence: 1,
      timerLabel: minute,
      visibility,
    }),
  );
}

function toGoal(match: Match, goal: Goal, ordinal: number): Annotation {
  const { team, minute, player } = goal;
  return toAnnotation(match, {
    id: goalId(match, ordinal),
    typeId: GOAL,
    ...toScene(toVideoSeconds(minute)),
    entityIds: [teamId(team), ...(player === undefined ? [] : [playerId(player)])],
    ...toSource(match, ordinal),
    timerLabel: minute,
    order: BigInt(ordinal),
  });
}

/** Returns the source of a season's goals: imported in 2018, manual in 2022, automatic in 2026. */
function toSource({ season, number }: Match, ordinal: number): Source {
  const sourceId = `${season}/${number}/${ordinal}`;
  if (season === "2018") return { sourceType: SourceType.IMPORT, sourceId, confidence: 1 };
  if (season === "2022") return { sourceType: SourceType.MANUAL, sourceId: "", confidence: 1 };
  const confidence = (80 + ((number * 7 + ordinal * 3) % 20)) / 100;
  return { sourceType: SourceType.AUTOMATIC, sourceId, confidence };
}

/** Creates a moment with its scene, from 10 seconds before it to 20 after. */
function toScene(seconds: number) {
  return {
    offset: toDuration(seconds),
    startOffset: toDuration(Math.max(0, seconds - 10)),
    endOffset: toDuration(seconds + 20),
  };
}

function toDuration(seconds: number): Duration {
  return create(DurationSchema, { seconds: BigInt(seconds) });
}

function toAnnotation(match: Match, rest: MessageInitShape<typeof AnnotationSchema>): Annotation {
  return create(AnnotationSchema, {
    projectId: WORLD_CUP,
    videoId: matchVideoId(match),
    eventId: matchId(match),
    visibility: Visibility.PUBLISHED,
    ...rest,
  });
}
