import { render } from "preact";
import { openByLink } from "./session.ts";
import { Studio } from "./studio.tsx";

await openByLink();
const place = document.querySelector("#app");
if (place !== null) render(<Studio />, place);
