/**
 * Node's HTTP/1. To import `node:http` reads all of its exports, of which some load undici: 50 ms of each start, and
 * 13 MB of memory.
 */
export const http = process.getBuiltinModule("node:http");
