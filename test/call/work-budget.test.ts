import { create } from "@bufbuild/protobuf";
import { createHandlerContext, createServiceImplSpec, type ServiceImpl } from "@connectrpc/connect";
import { invokeUnaryImplementation } from "@connectrpc/connect/protocol";
import { describe, expect, test } from "vitest";
import {
  EventService,
  ListEventsRequestSchema,
} from "../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { type Caller, getWorkBudget, openCall, setPart } from "../../src/call/context.ts";
import { createWorkInterceptor, createWorkTurns } from "../../src/call/work-budget.ts";

const REQUEST = { requestId: "r", now: new Date(0), address: "", trustsHeaders: false };
const project = (projectId: string): Caller => ({
  kind: "project",
  key: { projectId, organizationId: "acme", kind: "public" },
});
const account = (id: string, organizationId = "acme"): Caller => ({
  kind: "account",
  account: { id, organizationId },
  answerKey: new Uint8Array(),
});

/** Calls that each spend some time and then wait to be let go. */
function open() {
  let time = 0;
  const interceptor = createWorkInterceptor({ clock: () => time, pause: async () => {} });
  return (caller: Caller, milliseconds: number) => {
    let end = (_fault?: Error) => {};
    const waiting = new Promise<void>((resolve, reject) => {
      end = (fault) => (fault ? reject(fault) : resolve());
    });
    const handlers: Partial<ServiceImpl<typeof EventService>> = {
      async listEvents(_request, { values }) {
        getWorkBudget(values).count(() => {
          time += milliseconds;
        });
        await waiting;
        return {};
      },
    };
    const spec = createServiceImplSpec<typeof EventService>(EventService, handlers).methods
      .listEvents;
    if (spec?.kind !== "unary") throw new Error("a list is unary");
    const contextValues = openCall(REQUEST);
    setPart(contextValues, "caller", caller);
    const context = createHandlerContext({
      ...{ service: EventService, method: spec.method, protocolName: "connect" },
      ...{ requestMethod: "POST", url: "http://localhost/", contextValues },
    });
    const request = create(ListEventsRequestSchema);
    const done = invokeUnaryImplementation(spec, context, request, [interceptor]).then(
      () => "answered",
      (fault: { reason?: string; message: string }) => fault.reason ?? fault.message,
    );
    return { done, end };
  };
}

const refusal = "EXPENSIVE_READS_LIMIT";

describe("expensive calls", () => {
  test("may be four of one caller at the same time, and not five", async () => {
    const call = open();
    const four = Array.from({ length: 4 }, () => call(project("a"), 101));
    expect(await call(project("a"), 101).done).toBe(refusal);
    four[0]?.end();
    expect(await four[0]?.done).toBe("answered");
    const next = call(project("a"), 101);
    expect(await call(project("a"), 101).done).toBe(refusal);
    for (const { end } of [...four, next]) end();
    for (const { done } of [...four, next]) expect(await done).toBe("answered");
  });

  test("make room also when they fail", async () => {
    const call = open();
    const four = Array.from({ length: 4 }, () => call(project("a"), 101));
    for (const { end, done } of four) {
      end(new Error("broken"));
      expect(await done).toBe("broken");
    }
    const next = call(project("a"), 101);
    next.end();
    expect(await next.done).toBe("answered");
  });

  test("do not stand in the way of cheap ones, nor of other callers", async () => {
    const call = open();
    for (let count = 0; count < 4; count += 1) call(project("a"), 101);
    for (const [caller, time] of [
      [project("a"), 100],
      [project("b"), 101],
      [account("a"), 101],
    ] as const) {
      const { done, end } = call(caller, time);
      end();
      expect(await done).toBe("answered");
    }
  });

  test("of an account are counted by the account", async () => {
    const call = open();
    for (let count = 0; count < 4; count += 1) call(account("ann"), 101);
    expect(await call(account("ann"), 101).done).toBe(refusal);
    for (const caller of [account("bob"), account("ann", "other")]) {
      const { done, end } = call(caller, 101);
      end();
      expect(await done).toBe("answered");
    }
  });
});

test("one of those who wait goes on in each turn of the event loop, in their order", async () => {
  const takeTurn = createWorkTurns();
  const seen: string[] = [];
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const work = async (name: string) => {
    for (let step = 0; step < 3; step += 1) {
      await takeTurn();
      seen.push(`${name}${turns}`);
    }
  };
  await Promise.all(["a", "b", "c"].map(work));
  isOver = true;
  expect(seen.map((it) => it[0]).join("")).toBe("abcabcabc");
  expect(new Set(seen.map((it) => it.slice(1))).size).toBe(9);
});
