/** Loads jose on first use: its many modules would prolong every start. */
export function loadJose(): Promise<typeof import("jose")> {
  return import("jose");
}
