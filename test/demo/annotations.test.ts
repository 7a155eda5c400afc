import { describe, expect, test } from "vitest";
import { createDemoDataset } from "../../demo/dataset.ts";
import { toVideoSeconds } from "../../demo/match-clock.ts";
import { SourceType } from "../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { checkAnnotation } from "../../src/domain/annotations/annotation.ts";

const { annotations, annotationTypes, events, videos } = createDemoDataset();
const goals = annotations.filter((it) => it.typeId === "type-goal");

describe("goals", () => {
  test("hold the one that decided the final of 2026, in its extra time", () => {
    const [goal, ...others] = goals.filter((it) => it.eventId === "match-2026-104");
    expect(others).toEqual([]);
    expect(goal).toMatchObject({
      id: "goal-2026-104-1",
      videoId: "video-match-2026-104",
      timerLabel: "106",
      offset: { seconds: 8280n },
      startOffset: { seconds: 8270n },
      endOffset: { seconds: 8300n },
      entityIds: ["team-esp", "player-esp-7"],
      sourceType: SourceType.AUTOMATIC,
      order: 1n,
    });
  });

  test("after minute 90 fell in added time where no extra time was played", () => {
    const got = goals.filter((goal) => goal.eventId === "match-2026-102");
    expect(got.map((goal) => goal.timerLabel)).toEqual(["55", "86", "90+2"]);
  });

  test("of each match are as many for each side as its score says", () => {
    const byEvent = Map.groupBy(goals, (goal) => goal.eventId);
    for (const event of events) {
      if (event.projectId !== "worldcup" || event.contentType !== "match") continue;
      const scored = byEvent.get(event.id) ?? [];
      const [home, away] = event.entityIds;
      const got = [home, away].map((id) => scored.filter((it) => it.entityIds[0] === id).length);
      const score = event.fields?.score as { home: number; away: number };
      expect(got, event.id).toEqual([score.home, score.away]);
    }
  });

  test("of 2026 all name their scorer", () => {
    const got = goals.filter((goal) => goal.id.startsWith("goal-2026-"));
    expect(got).toHaveLength(308);
    expect(got.filter((goal) => goal.entityIds.length !== 2)).toEqual([]);
  });

  test("that are own goals name an opponent", () => {
    const got = goals.filter(({ entityIds: [team = "", player] }) => {
      return player !== undefined && !player.startsWith(team.replace("team", "player"));
    });
    expect(got.length).toBeGreaterThan(0);
    for (const goal of got) {
      const event = events.find((it) => it.id === goal.eventId);
      const opponent = goal.entityIds[1]?.replace("player", "team").replace(/-\d+$/, "");
      expect(event?.entityIds.slice(0, 2), goal.id).toContain(opponent);
    }
  });

  test("of a match follow each other in time and order", () => {
    for (const [eventId, scored] of Map.groupBy(goals, (goal) => goal.eventId)) {
      expect(scored.map((goal) => goal.order)).toEqual(scored.map((_, i) => BigInt(i + 1)));
      const seconds = scored.map((goal) => Number(goal.offset?.seconds));
      expect(seconds, eventId).toEqual(seconds.toSorted((a, b) => a - b));
    }
  });
});

test("annotations are valid and lie within their videos", () => {
  const durations = new Map(videos.map((video) => [video.id, video.duration?.seconds ?? 0n]));
  for (const annotation of annotations) {
    expect(() => checkAnnotation(annotation), annotation.id).not.toThrow();
    const end = annotation.endOffset?.seconds ?? 0n;
    expect(end <= (durations.get(annotation.videoId) ?? 0n), annotation.id).toBe(true);
  }
});

test("annotations are published but for one unlisted and one hidden of the last final", () => {
  const got = annotations.filter((it) => it.visibility !== Visibility.PUBLISHED);
  expect(got.map((it) => [it.eventId, it.timerLabel, it.visibility])).toEqual([
    ["match-2026-104", "46", Visibility.UNLISTED],
    ["match-2026-104", "91", Visibility.HIDDEN],
  ]);
});

test("annotation types have an action configuration for goals and none for kick-offs", () => {
  const got = annotationTypes.filter((type) => type.projectId === "worldcup");
  expect(got.map((type) => [type.name, type.actionConfiguration?.conditions.length])).toEqual([
    ["goal", 1],
    ["kickoff", undefined],
  ]);
});

test.each([
  ["1", 60],
  ["45+2", 47 * 60],
  ["46", 66 * 60],
  ["90+6", 116 * 60],
  ["91", 121 * 60],
  ["105+1", 136 * 60],
  ["106", 138 * 60],
  ["120+5", 157 * 60],
])("minute %s is %i seconds into the video", (minute, want) => {
  expect(toVideoSeconds(minute)).toBe(want);
});
