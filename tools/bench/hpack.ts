/** Places of the static table (RFC 7541, appendix A). */
const STATIC: Readonly<Record<string, number>> = { ":method\nPOST": 3, ":scheme\nhttp": 6 };

/** The place of the newest entry of the dynamic table. */
const NEWEST = 62;

/** The part of the dynamic table of 4,096 bytes that is used, so that nothing is ever dropped from it. */
const MAX_BYTES = 3_072;
const ENTRY_BYTES = 32;

const INDEXED = 0x80;
const ADDED = 0x40;
const NOT_ADDED = 0x00;

/**
 * Creates the encoder of a connection's request headers (RFC 7541), which like gRPC clients sends a header in full
 * only once.
 */
export function createHeaderEncoder(): (headers: Iterable<readonly [string, string]>) => Buffer {
  const added = new Map<string, number>();
  let bytes = 0;

  function encode(name: string, value: string): Uint8Array {
    const key = `${name}\n${value}`;
    const number = added.get(key);
    const place = number === undefined ? STATIC[key] : NEWEST + added.size - 1 - number;
    if (place !== undefined) return toInteger(place, INDEXED);
    const size = name.length + value.length + ENTRY_BYTES;
    const isAdded = bytes + size <= MAX_BYTES;
    if (isAdded) {
      bytes += size;
      added.set(key, added.size);
    }
    const first = Uint8Array.of(isAdded ? ADDED : NOT_ADDED);
    return Buffer.concat([first, toText(name), toText(value)]);
  }

  return (headers) => Buffer.concat(Array.from(headers, ([name, value]) => encode(name, value)));
}

/** Encodes a number in 7 bits; all are set if it needs more bytes. */
function toInteger(number: number, flag: number): Uint8Array {
  if (number < 0x7f) return Uint8Array.of(flag | number);
  const bytes = [flag | 0x7f];
  let rest = number - 0x7f;
  for (; rest >= 0x80; rest >>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Uint8Array.from([...bytes, rest]);
}

function toText(text: string): Uint8Array {
  return Buffer.concat([toInteger(text.length, 0), Buffer.from(text, "latin1")]);
}
