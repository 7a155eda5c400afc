/** The URL of the server of this page, without a slash at the end. */
export const HERE = new URL(".", location.href).href.replace(/\/$/, "");
