/** Reports whether a host and port name this machine, which browsers trust without https. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(host);
}
