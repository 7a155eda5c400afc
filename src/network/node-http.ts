/**
 * Node's HTTP/1. An import of `node:http` reads all of its exports, and some of them load undici: 50 ms of each
 * start, and 13 MB of memory.
 */
export const http = process.getBuiltinModule("node:http");
