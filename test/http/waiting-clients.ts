import { expect } from "vitest";
import { getUrl } from "../harness/calls.ts";
import { type HttpResponse, send } from "../harness/http.ts";
import type { ServiceProcess } from "../harness/service-process.ts";

const CLIENTS = 1_000;

/** A response, and when it came. */
export interface TimedResponse {
  readonly got: HttpResponse;
  readonly time: number;
}

/** The URL at which a process reads an event. */
export const readOf = ({ deliveryUrl }: ServiceProcess, id: string, key: string) =>
  `${deliveryUrl}${getUrl("/svc.cda.cms.event.v1.EventService/GetEvent", { id })}&key=${key}`;

/** Lets 1,000 clients wait for a read; returns once all do, with the promises of their responses. */
export async function startWaiting({ deliveryUrl }: ServiceProcess, read: string) {
  const state = (await send("GET", read)).headers.get("marquee-state");
  const responses = Array.from({ length: CLIENTS }, async (): Promise<TimedResponse> => {
    const got = await send("GET", `${read}&after=${state}&wait=10`);
    return { got, time: performance.now() };
  });
  const countWaiting = async () => {
    const { text } = await send("GET", `${deliveryUrl}/metrics`);
    return Number(/^marquee_waiting_requests (\d+)$/m.exec(text)?.[1]);
  };
  await expect.poll(countWaiting, { timeout: 8_000 }).toBe(CLIENTS);
  return { state, responses };
}

/** The time until the last of several responses, in milliseconds. */
export const lastOf = (all: readonly TimedResponse[], start: number) =>
  Math.max(...all.map(({ time }) => time)) - start;
