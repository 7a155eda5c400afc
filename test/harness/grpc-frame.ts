/** Writes one message in the envelope of gRPC, gRPC-Web and Connect streams. */
export function frame(message: Uint8Array, flags = 0): Uint8Array {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(flags, 0);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** Reads the messages out of a body of envelopes. */
export function unframe(body: Buffer): { flags: number; data: Buffer }[] {
  const frames: { flags: number; data: Buffer }[] = [];
  let start = 0;
  while (start < body.length) {
    const length = body.readUInt32BE(start + 1);
    frames.push({
      flags: body.readUInt8(start),
      data: body.subarray(start + 5, start + 5 + length),
    });
    start += 5 + length;
  }
  return frames;
}

/** Reads the trailers that gRPC-Web puts at the end of the body. */
export function webTrailers(body: Buffer): Record<string, string> {
  const last = unframe(body).find(({ flags }) => (flags & 0x80) !== 0);
  return Object.fromEntries(
    String(last?.data ?? "")
      .split("\r\n")
      .filter((line) => line !== "")
      .map((line) => {
        const mark = line.indexOf(":");
        return [line.slice(0, mark).toLowerCase(), line.slice(mark + 1).trim()];
      }),
  );
}
