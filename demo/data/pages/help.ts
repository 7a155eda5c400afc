import type { PageRecord } from "../dataset-records.ts";
import { pictureUrl } from "../wording.ts";
import type { PageBuilder } from "./page-builder.ts";

/** Creates the help page. */
export function createHelpPage({ page, component }: PageBuilder): PageRecord {
  return page({ id: "page-help", slug: "help", title: { en: "Help", de: "Hilfe" } }, [
    component("image-help", "Picture", {
      case: "image",
      value: {
        image_url: pictureUrl("text-how-to-watch"),
        alt: { en: "How to watch", de: "So schaust du" },
      },
    }),
    component("faq-help", "Questions", {
      case: "faq",
      value: {
        items: [
          {
            question: { en: "Can I cancel a pass?", de: "Kann ich einen Pass kündigen?" },
            answer: { en: "At any time.", de: "Jederzeit." },
          },
          {
            question: { en: "Where can I watch?", de: "Wo kann ich schauen?" },
            answer: { en: "On the web, phones and TVs.", de: "Im Web, auf Handys und Fernsehern." },
          },
        ],
      },
    }),
  ]);
}
