import { useEffect, useRef, useState } from "preact/hooks";
import { type ApiError, call } from "../api.ts";
import { toApiError } from "../load.tsx";
import type { Arranged } from "./page.ts";

/**
 * Moves components: at once on the screen, then on the server, one move after another. Moves that are overtaken are not sent.
 * Returns the rows in their newest order, and why the last move failed; empty: it did not.
 */
export function useArrangement(
  pageId: string,
  release: string,
  stored: Arranged,
  onMoved: () => void,
) {
  const [order, setOrder] = useState<readonly string[]>();
  const [problem, setProblem] = useState("");
  const etag = useRef(stored.etag);
  const wanted = useRef<readonly string[]>(undefined);
  const isSending = useRef(false);
  const sent = useRef(0);
  useEffect(() => {
    // A read that began before the last move has an older order.
    if (isSending.current || stored.since < sent.current) return;
    etag.current = stored.etag;
    setOrder(undefined);
  }, [stored]);
  const send = async () => {
    if (isSending.current) return;
    isSending.current = true;
    try {
      while (wanted.current !== undefined) {
        const ids = wanted.current;
        wanted.current = undefined;
        const reply = await call({
          path: `/ott/pages/v1/${encodeURIComponent(pageId)}:reorderComponents`,
          query: { release_id: release },
          headers: { "if-match": etag.current },
          body: { page_component_ids: [...ids] },
        });
        etag.current = reply.etag;
        sent.current = performance.now();
      }
    } catch (cause) {
      wanted.current = undefined;
      setOrder(undefined);
      setProblem(explain(toApiError(cause)));
    }
    isSending.current = false;
    onMoved();
  };
  const rows =
    order === undefined
      ? stored.rows
      : stored.rows.toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
  const reorder = (ids: readonly string[]) => {
    setProblem("");
    setOrder(ids);
    wanted.current = ids;
    void send();
  };
  return { rows, problem, reorder };
}

function explain({ reason, message }: ApiError): string {
  switch (reason) {
    case "GROUP_NOT_ADJACENT":
      return "Components of one group stay next to each other. Move the whole group, or empty “Group ID” in the form of the component.";
    case "ETAG_MISMATCH":
    case "ORDER_INCOMPLETE":
      return "Another person has changed this page. This is its newest order: move the component again.";
    default:
      return message;
  }
}
