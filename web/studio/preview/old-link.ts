import { printChoices } from "../composer/choices.tsx";
import { parseObject } from "../drawing/text.ts";
import { printRoute } from "../router.ts";

/** Follows a link of the time when the preview was a page of its own: its fragment was the choices in JSON. */
export function followOldLink(): void {
  if (!location.hash.startsWith("#%7B")) return;
  const choices = new URLSearchParams(`choices=${location.hash.slice(1)}`).get("choices") ?? "";
  const old = parseObject(choices) ?? {};
  const { slug, parameters, environment, language, country, session, releases, moment, viewer } =
    old;
  const query = printChoices({
    ...{ parameters, environment, language, country, session, time: moment },
    ...{ page: slug, release: releases?.toString(), viewer },
  });
  history.replaceState(
    undefined,
    "",
    printRoute({ projectId: "-", section: "preview", id: "", query }),
  );
}
