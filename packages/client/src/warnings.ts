import type { Interceptor } from "@connectrpc/connect";

declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** The methods whose warnings were logged. */
const logged = new Set<string>();

/**
 * Logs the warnings of a response to the console, once for each method, unless `NODE_ENV` is `production`. They name
 * probable mistakes, such as fields that the service does not know.
 */
export const logWarnings: Interceptor = (next) => async (request) => {
  const response = await next(request);
  const warnings = response.header.get("marquee-warnings");
  const { name, parent } = request.method;
  const method = `${parent.typeName}/${name}`;
  if (warnings !== null && !logged.has(method) && isDevelopment()) {
    logged.add(method);
    // biome-ignore lint/suspicious/noConsole: developers read it there.
    console.warn(`${method}: ${warnings}`);
  }
  return response;
};

function isDevelopment(): boolean {
  try {
    // Bundlers replace the variable. Without one, a browser has none.
    return process.env.NODE_ENV !== "production";
  } catch {
    return false;
  }
}
