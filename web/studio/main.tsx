import { render } from "preact";
import { Studio } from "./studio.tsx";

const place = document.querySelector("#app");
if (place !== null) render(<Studio />, place);
