// Many clients at once, and clients that send half of a large request and stop.
import test from "node:test";
import http2 from "node:http2";
import { KINDS, MIB, ask, assert, request, sleep, start, until } from "./daemon.mjs";

const median = values => values.sort((a, b) => a - b)[values.length >> 1];

test("jobs from 200 clients at once: none lost, none mixed up, memory flat", async t => {
  const daemon = await start({ config: { "logging.level": "info", "journal.retention_jobs": 250 } });
  const proofs = new Map();
  const resident = [];
  const clients = [...Array(200)].map(() => daemon.client());
  const serve = async (client, kind, i) => {
    const submit = request(kind, `partitions=${1 + (i % 3)}`);
    const { result } =
      i % 2
        ? await ask(client, "Prove", { submit })
        : { result: await ask(client, "AwaitProof", { job_id: (await ask(client, "SubmitProof", submit)).job_id }) };
    assert.equal(result.status, "COMPLETED", result.error_message);
    assert.equal(result.proof.length, 192 * (1 + (i % 3)));
    const text = result.proof.toString("hex");
    assert.ok(!proofs.has(text));
    proofs.set(text, result.job_id);
    resident.push(daemon.residentBytes());
  };
  const serveAll = async jobs => {
    const each = jobs / clients.length;
    await Promise.all(
      clients.map(async (client, c) => {
        for (let i = 0; i < each; i++) await serve(client, KINDS[(c + i) % 4], i);
      }),
    );
  };
  // Until connections, threads and the jobs that are kept are all there; what grows from then on would grow for ever.
  await serveAll(1000);
  resident.length = 0;
  const jobs = Number(process.env.CUZK_SOAK_JOBS || 1000);
  await serveAll(jobs);
  // Medians over as many jobs as come and go between two clearings of the ended ones (256), which each holds a kilobyte or so.
  const span = 3 * jobs / 10,
    early = median(resident.slice(0, span)),
    late = median(resident.slice(-span));
  t.diagnostic(`resident: ${(early / MIB).toFixed(2)} MiB early, ${(late / MIB).toFixed(2)} late: ${((late / early - 1) * 100).toFixed(1)} %`);
  if (!process.env.CUZK_SANITIZED) assert.ok(late <= 1.01 * early + 0.5 * MIB, `${early} bytes, then ${late}`);
  assert.equal(new Set(proofs.values()).size, 1000 + jobs);
  const status = await daemon.status();
  assert.deepEqual(
    [status.counters.total_completed, status.counters.total_failed, status.queue.length + status.pipelines.length],
    [1000 + jobs, 0, 0],
  );
  for (const client of clients) client.close();
  await daemon.stop();
});

// A client that announces a message of `bytes` on a stream of its own connection and sends only half of it.
function halfSent(daemon, method, bytes) {
  const session = http2.connect("http://" + daemon.address);
  session.on("error", () => {});
  const stream = session.request({
    ":method": "POST",
    ":path": `/cuzk.v1.ProvingEngine/${method}`,
    "content-type": "application/grpc",
    te: "trailers",
  });
  const client = { session, status: null };
  stream.on("error", () => {});
  stream.on("response", headers => {
    if (headers["grpc-status"] !== undefined) client.status = headers["grpc-status"];
  });
  stream.on("trailers", headers => {
    client.status = headers["grpc-status"];
  });
  stream.resume();
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes, 1);
  stream.write(head);
  let left = bytes / 2;
  const piece = Buffer.alloc(MIB);
  const more = () => {
    while (left > 0 && !stream.destroyed) {
      left -= piece.length;
      if (!stream.write(piece)) return stream.once("drain", more);
    }
  };
  more();
  return client;
}

test("half-sent requests stay within the upload budget and hold nobody up for long", async () => {
  // Room for two requests of 200 MiB; the third and all others wait without costing anything.
  const daemon = await start({
    config: { "daemon.max_request_size": "200MiB", "daemon.upload_budget": "440MiB", "daemon.upload_timeout": "4s" },
  });
  await daemon.line(/requests of at most 200 MiB, 2 received at once/);
  const before = daemon.residentBytes();
  const stalled = [...Array(200)].map(() => halfSent(daemon, "SubmitProof", 200 * MIB));
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, daemon.residentBytes());
  }, 20);
  await until(() => daemon.residentBytes() > before + 150 * MIB, "two of them are received");
  const client = daemon.client();
  await ask(client, "GetStatus", {});
  // Not behind the two hundred, which are cut off one pair after the other: some of them are there yet when it is through.
  const { result } = await ask(client, "Prove", { submit: request("WINNING_POST") });
  assert.equal(result.status, "COMPLETED");
  assert.ok(stalled.some(s => s.status === null), "an urgent request does not wait for all of them");
  await until(() => stalled.filter(s => s.status !== null).length >= 2, "stalled clients are cut off");
  for (const s of stalled) assert.ok(s.status === null || s.status === "8", `RESOURCE_EXHAUSTED, not ${s.status}`);
  for (const s of stalled) s.session.destroy();
  await until(
    () =>
      (daemon.log.match(/took too long to arrive/) && daemon.residentBytes() < before + 80 * MIB) || process.env.CUZK_SANITIZED,
    "their memory is given back",
  );
  clearInterval(watch);
  if (!process.env.CUZK_SANITIZED) assert.ok(most - before < 300 * MIB, `${(most - before) / MIB} MiB`);
  client.close();
  await daemon.stop();
});

test("half-sent small requests are cut off as well", async () => {
  const daemon = await start();
  const stalled = [...Array(20)].map(() => halfSent(daemon, "GetStatus", 100 * MIB));
  const client = daemon.client();
  await sleep(200);
  await ask(client, "GetStatus", {}, { ms: 30000 });
  await until(() => stalled.filter(s => s.status === "8").length >= 8, "the first ones are cut off");
  for (const s of stalled) s.session.destroy();
  client.close();
  await daemon.stop();
});
