import { render } from "preact";
import { followOldLink } from "./preview/old-link.ts";
import { openByLink } from "./session.ts";
import { Studio } from "./studio.tsx";

await openByLink();
followOldLink();
const place = document.querySelector("#app");
if (place !== null) render(<Studio />, place);
