import { createDeliveryClient, createStudioClient, hasReason, kql, text } from "@marquee/client";

// Prints the last final of the demo, renames a component of its home page, and reads a page that is not there.
const { MARQUEE_URL: url = "http://127.0.0.1:8080", PUBLIC_KEY, ACCESS_TOKEN } = process.env;

const delivery = createDeliveryClient({ url, key: PUBLIC_KEY });
const filter = kql.and(kql.is("content_type", "match"), kql.is("fields.stage", "knockout"));
const { events } = await delivery.event.listEvents({
  filter,
  order: "start_time desc",
  pageSize: 1,
});
for (const { id, title } of events) process.stdout.write(`${id}: ${text(title, "en")}\n`);

const studio = createStudioClient({ url, accessToken: ACCESS_TOKEN });
const { pageComponent } = await studio.pageComponent.updatePageComponent({
  pageComponentId: "banner-home",
  pageComponentUpdate: { name: "Welcome" },
  updateMask: "name",
});
process.stdout.write(`${pageComponent?.id}: ${pageComponent?.name}\n`);

try {
  await delivery.page.getPage({ slug: "nowhere" });
} catch (cause) {
  if (!hasReason(cause, "RESOURCE_NOT_FOUND")) throw cause;
  process.stdout.write(`${cause.reason}: ${cause.rawMessage}\n`);
}
