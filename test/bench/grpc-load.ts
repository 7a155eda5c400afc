import { type ClientHttp2Session, connect } from "node:http2";
import { frame } from "../harness/grpc-frame.ts";
import type { BenchRequest, Turns } from "./load.ts";

/** Windows of flow control that no answer fills, as gRPC clients have. */
const STREAM_WINDOW = 2 ** 20;
const SESSION_WINDOW = 2 ** 24;

/**
 * Sends gRPC requests over one connection with so many streams at the same time, until there are no more.
 * Returns how many were answered; a status of HTTP other than 200 or of gRPC other than 0 throws.
 */
export async function sendGrpc({ port, next }: Turns, streams: number): Promise<number> {
  const session = connect(`http://127.0.0.1:${port}`, {
    settings: { initialWindowSize: STREAM_WINDOW },
  });
  let answered = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      session.once("error", reject).once("connect", () => {
        session.setLocalWindowSize(SESSION_WINDOW);
        resolve();
      });
    });
    const run = async () => {
      for (let request = next(); request !== undefined; request = next()) {
        await call(session, request);
        answered += 1;
      }
    };
    await Promise.all(Array.from({ length: streams }, run));
  } finally {
    session.destroy();
  }
  return answered;
}

function call(session: ClientHttp2Session, request: BenchRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    const { method, path, headers } = request;
    const stream = session.request({ ":method": method, ":path": path, ...headers });
    let status: number | undefined;
    let grpcStatus: unknown;
    let message: unknown;
    let length = 0;
    stream.on("response", (answer) => {
      status = answer[":status"];
      // An answer without a message has its status in the headers.
      grpcStatus = answer["grpc-status"];
      message = answer["grpc-message"];
    });
    stream.on("data", (chunk: Buffer) => {
      length += chunk.length;
    });
    stream.on("trailers", (trailers) => {
      grpcStatus = trailers["grpc-status"];
      message = trailers["grpc-message"];
    });
    stream.on("error", reject);
    stream.on("close", () => {
      if (status === 200 && grpcStatus === "0" && length > 0) resolve();
      else reject(new Error(`${path}: ${status}, grpc-status ${grpcStatus}: ${message}`));
    });
    stream.end(frame(Buffer.from(request.body ?? "")));
  });
}
