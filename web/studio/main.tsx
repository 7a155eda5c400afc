import { render } from "preact";
import { keepFocus } from "./focus.ts";
import { followOldLink } from "./preview/old-link.ts";
import { openByLink } from "./session.ts";
import { Studio } from "./studio.tsx";

await openByLink();
followOldLink();
keepFocus();
const place = document.querySelector("#app");
if (place !== null) render(<Studio />, place);
