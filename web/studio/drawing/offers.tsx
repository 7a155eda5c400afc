import type { JsonObject } from "@bufbuild/protobuf";
import { useDrawing } from "./drawing.ts";
import { Note, Text } from "./parts.tsx";
import type { Resolved } from "./resolved.ts";
import { objectsOf, pick, printEnum, printMoney } from "./text.ts";

type Offer = NonNullable<Resolved["offers"]>[number];

/** Offers with their prices, as cards. */
export function Offers({ data, offers }: { data: JsonObject; offers: readonly Offer[] }) {
  const { language } = useDrawing();
  const byId = new Map(offers.map((it) => [it.id, it]));
  return (
    <div>
      <p>
        <Text of={data.subtitle} />
      </p>
      <ul class="offers">
        {objectsOf(data.offer).map((card, index) => {
          const offer = byId.get(String(card.offer_id ?? ""));
          return (
            <li key={index} class="offer">
              <strong>
                <Text of={pick(card.title ?? offer?.title, language) || offer?.name} />
              </strong>
              <p>
                <Text of={card.description ?? offer?.description} />
              </p>
              {offer === undefined && <Note>Not for sale.</Note>}
              <ul>
                {offer?.prices?.map(({ amount = {}, billingPeriod, accessPeriod }, index) => {
                  const billed = printEnum(billingPeriod, "BILLING_PERIOD_");
                  const access = printEnum(accessPeriod, "ACCESS_PERIOD_");
                  const once = `once, ${access === "unlimited" ? access : `for a ${access}`}`;
                  return (
                    <li key={index}>
                      <b>{printMoney(amount, language)}</b>{" "}
                      {billed === "one time" ? once : `each ${billed}`}
                    </li>
                  );
                })}
              </ul>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
