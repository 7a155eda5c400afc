import { useInfiniteQuery } from "@connectrpc/connect-query";
import { hasReason, kql, text } from "@marquee/client";
import { EventService } from "@marquee/client/delivery";
import { useState } from "react";

/** The matches of a team, a page at a time. */
export function Matches() {
  const [team, setTeam] = useState("team-esp");
  const filter = kql.and(kql.is("content_type", "match"), team && kql.is("entity_ids", team));
  const request = { filter, order: "start_time desc", pageSize: 5, pageToken: "" };
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(
    EventService.method.listEvents,
    request,
    {
      pageParamKey: "pageToken",
      getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined,
      // An error of Marquee remains, one of the network may not.
      retry: (count, cause) => count < 3 && !hasReason(cause),
    },
  );
  const events = data?.pages.flatMap((page) => page.events) ?? [];
  return (
    <main>
      <label>
        Team <input value={team} onChange={({ target }) => setTeam(target.value)} />
      </label>
      {error && (
        <p role="alert">{hasReason(error) ? error.reason : "Marquee cannot be reached."}</p>
      )}
      <ul>
        {events.map(({ id, title }) => (
          <li key={id}>{text(title, navigator.languages)}</li>
        ))}
      </ul>
      {hasNextPage && (
        <button type="button" onClick={() => fetchNextPage()}>
          More
        </button>
      )}
    </main>
  );
}
