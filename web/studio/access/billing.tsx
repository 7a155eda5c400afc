import type { JsonObject } from "@bufbuild/protobuf";
import { HERE } from "../../here.ts";
import { ActButton, useActs } from "../acts.tsx";
import { call } from "../api.ts";
import { useApp } from "../app.ts";
import { printTime } from "../drawing/text.ts";
import { useLoad } from "../load.tsx";

/** Where the billing provider of the project reports purchases, and the secret that signs its events. */
export function BillingView() {
  const { route, reveal } = useApp();
  const id = encodeURIComponent(route.projectId);
  const path = `/monetization/billing_integrations/v1/${id}`;
  const loaded = useLoad((signal) => call({ path, signal }), [path]);
  const acts = useActs(loaded.reload);
  if (loaded.state !== undefined) return loaded.state;
  const { secret_create_time: created, previous_secret_expire_time: end } = loaded.value.body
    .integration as JsonObject;
  const replace = () =>
    acts.run(async () => {
      const { body } = await call({ path: `${path}:rotateSecret`, body: {} });
      reveal("Signing secret of the billing provider", String(body.signing_secret));
    }, "Enter the secret at the billing provider.");
  return (
    <>
      <div class="heading">
        <h1>Billing provider</h1>
        <ActButton
          permission="monetization.billing_integrations.update"
          class="main end"
          disabled={acts.isBusy}
          onClick={replace}
        >
          New signing secret
        </ActButton>
      </div>
      {acts.failure}
      <section class="card">
        <p>
          Your billing provider posts each purchase to
          <code class="value">{`${HERE}/monetization/billing_events/v1/${id}`}</code>
        </p>
        <p>
          {created === undefined
            ? "There is no signing secret yet: every event is rejected."
            : `The signing secret was created on ${printTime(String(created))}.`}
          {end !== undefined && ` The previous one is accepted until ${printTime(String(end))}.`}
        </p>
      </section>
    </>
  );
}
