import { createDeliveryClient, text } from "@marquee/client";
import { useEffect, useState } from "react";

const delivery = createDeliveryClient({
  url: import.meta.env.VITE_MARQUEE_URL,
  key: import.meta.env.VITE_PUBLIC_KEY,
});

/** The score of a match, which changes within about a second of a goal. */
export function LiveScore({ id }: { readonly id: string }) {
  const [score, setScore] = useState("");
  useEffect(() => {
    const ended = new AbortController();
    const follow = async () => {
      const { signal } = ended;
      for await (const { event } of delivery.watch.event.getEvent({ id }, { signal })) {
        const { home, away } = Object(event?.fields?.score);
        setScore(`${text(event?.title, navigator.languages)} ${home}:${away}`);
      }
    };
    // Such as a match that is deleted.
    follow().catch(() => setScore(""));
    return () => ended.abort();
  }, [id]);
  return <output>{score}</output>;
}
