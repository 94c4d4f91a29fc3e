// All eight methods, what they refuse and how, ids, sizes, deadlines, cancellation and keepalive.
import test from "node:test";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import net from "node:net";
import { KINDS, MIB, SECTOR_32G, ask, assert, call, grpc, methods, refused, request, sleep, start, until } from "./daemon.mjs";

test("the eight methods", async t => {
  const daemon = await start();
  const client = daemon.client();
  for (const kind of KINDS) {
    const { result } = await ask(client, "Prove", { submit: request(kind, "partitions=3 synthesis_ms=5 prove_ms=5") });
    assert.equal(result.status, "COMPLETED", result.error_message);
    assert.equal(result.proof.length, 3 * 192);
    assert.ok(result.synthesis_ms >= 15 && result.gpu_compute_ms >= 15 && result.total_ms >= 15);
  }
  const submitted = await ask(client, "SubmitProof", request("POREP_SEAL_COMMIT", "prove_ms=3000"));
  assert.match(submitted.job_id, /^[A-Za-z0-9-]+$/);
  let result = await ask(client, "AwaitProof", { job_id: submitted.job_id, timeout_ms: 1 });
  assert.equal(result.status, "TIMEOUT");
  result = await ask(client, "AwaitProof", { job_id: submitted.job_id });
  assert.equal(result.status, "COMPLETED");
  assert.deepEqual((await ask(client, "AwaitProof", { job_id: submitted.job_id })).proof, result.proof);

  const long = await ask(client, "SubmitProof", request("WINDOW_POST_PARTITION", "prove_ms=3600000"));
  assert.equal((await ask(client, "CancelProof", { job_id: long.job_id })).was_running, true);
  assert.equal((await ask(client, "CancelProof", { job_id: long.job_id })).was_running, false);
  assert.equal((await ask(client, "AwaitProof", { job_id: long.job_id })).status, "CANCELLED");

  const failing = (await ask(client, "Prove", { submit: request("WINNING_POST", "fail_prove=2") })).result;
  assert.equal(failing.status, "FAILED");
  assert.match(failing.error_message, /proving failed by script/);

  assert.equal((await ask(client, "PreloadSRS", { circuit_id: "porep-32g" })).already_loaded, false);
  assert.equal((await ask(client, "PreloadSRS", { circuit_id: "porep-32g" })).already_loaded, true);
  const status = await ask(client, "GetStatus", {});
  assert.equal(status.total_proofs_completed, 5);
  assert.equal(status.total_proofs_failed, 1);
  assert.equal(status.gpus[0].name, "fake 0");
  assert.deepEqual(
    status.queues.map(q => q.proof_kind),
    ["porep-c2", "snap-update", "window-post", "winning-post"],
  );
  assert.equal(status.loaded_srs.find(s => s.circuit_id === "porep-32g").tier, "HOT");
  assert.equal(status.loaded_srs.find(s => s.circuit_id === "porep-8m").tier, "COLD");
  assert.ok(status.pinned_memory_limit_bytes === 2 * 1024 * MIB && status.pinned_memory_bytes > 0);
  const evicted = await ask(client, "EvictSRS", { circuit_id: "porep-32g" });
  assert.deepEqual(evicted, { was_loaded: true, freed_bytes: 1000 });
  assert.equal((await ask(client, "EvictSRS", { circuit_id: "porep-32g" })).was_loaded, false);
  assert.match((await ask(client, "GetMetrics", {})).prometheus_text, /^cuzk_proofs_completed_total 5$/m);
  client.close();
  await daemon.stop();
});

test("idempotency is by the whole request", async t => {
  const daemon = await start();
  const client = daemon.client();
  const first = request("POREP_SEAL_COMMIT", "prove_ms=50", { request_id: "porep-1001-16" });
  const other = { ...first, vanilla_proof: Buffer.from("prove_ms=50 seed=another") };
  const [a, b, c] = await Promise.all([first, first, other].map(r => ask(client, "SubmitProof", r)));
  assert.equal(a.job_id, b.job_id);
  assert.notEqual(a.job_id, c.job_id);
  const proofs = await Promise.all([a, b, c].map(s => ask(client, "AwaitProof", { job_id: s.job_id })));
  assert.deepEqual(proofs[0].proof, proofs[1].proof);
  assert.notDeepEqual(proofs[0].proof, proofs[2].proof);
  assert.deepEqual((await ask(client, "Prove", { submit: first })).result.proof, proofs[0].proof);
  client.close();
  await daemon.stop();
});

test("sizes to the limit pass and are refused above it with the limit named", async t => {
  const daemon = await start();
  const client = daemon.client();
  for (const mebibytes of [3.9, 4.1, 60, 127, 129, 255, 256]) {
    const submit = request("POREP_SEAL_COMMIT");
    submit.vanilla_proof = Buffer.concat([
      submit.vanilla_proof,
      Buffer.alloc(mebibytes * MIB - submit.vanilla_proof.length, " "),
    ]);
    const { result } = await ask(client, "Prove", { submit });
    assert.equal(result.status, "COMPLETED", `${mebibytes} MiB: ${result.error_message}`);
  }
  const submit = request("POREP_SEAL_COMMIT", "", { vanilla_proof: Buffer.alloc(257 * MIB, " ") });
  await refused(ask(client, "Prove", { submit }), "RESOURCE_EXHAUSTED", /larger than max \(\d+ vs. 268500992\)/);
  const many = request("WINDOW_POST_PARTITION");
  many.vanilla_proofs = [...Array(1000)].map((_, i) => (i ? Buffer.alloc(60000, i) : many.vanilla_proofs[0]));
  assert.equal((await ask(client, "Prove", { submit: many })).result.status, "COMPLETED");
  // What the requests took is given back: far less than one of the large ones remains.
  await until(() => daemon.residentBytes() < 200 * MIB || process.env.CUZK_SANITIZED, "memory is given back");
  client.close();
  await daemon.stop();
});

// A method called with bytes of our own.
function raw(client, method, bytes) {
  return new Promise((resolve, reject) =>
    client.makeUnaryRequest(
      methods[method].path,
      b => b,
      b => b,
      bytes,
      (error, value) => (error ? reject(error) : resolve(value)),
    ),
  );
}

test("bad requests get the right status and one line that names the field", async t => {
  const daemon = await start({ env: { FAKE_ABSENT: "snap-2k" } });
  const client = daemon.client();
  const good = kind => request(kind);
  const cases = [
    [{ ...good("POREP_SEAL_COMMIT"), proof_kind: 0 }, "INVALID_ARGUMENT", /^proof_kind: found 0, expected 1/],
    [{ ...good("POREP_SEAL_COMMIT"), proof_kind: 5 }, "INVALID_ARGUMENT", /^proof_kind: found 5/],
    [{ ...good("POREP_SEAL_COMMIT"), priority: 5 }, "INVALID_ARGUMENT", /^priority: found 5, expected/],
    [{ ...good("POREP_SEAL_COMMIT"), sector_size: 1000 }, "INVALID_ARGUMENT", /^sector_size: found 1000/],
    [{ ...good("WINNING_POST"), randomness: Buffer.alloc(31) }, "INVALID_ARGUMENT", /^randomness: found 31 bytes, expected 32/],
    [{ ...good("POREP_SEAL_COMMIT"), comm_r_old: Buffer.alloc(33) }, "INVALID_ARGUMENT", /^comm_r_old: found 33 bytes/],
    [{ ...good("POREP_SEAL_COMMIT"), comm_r_new: Buffer.alloc(1) }, "INVALID_ARGUMENT", /^comm_r_new: found 1 bytes/],
    [{ ...good("POREP_SEAL_COMMIT"), comm_d_new: Buffer.alloc(64) }, "INVALID_ARGUMENT", /^comm_d_new: found 64 bytes/],
    [
      { ...good("POREP_SEAL_COMMIT"), request_id: "x".repeat(4097) },
      "INVALID_ARGUMENT",
      /^request_id: found 4097 bytes, expected at most 4096/,
    ],
    [
      { ...good("WINDOW_POST_PARTITION"), vanilla_proofs: Array(4097).fill(Buffer.from("x")) },
      "INVALID_ARGUMENT",
      /^vanilla_proofs: found more than 4096/,
    ],
    [request("POREP_SEAL_COMMIT", "bad=1"), "INVALID_ARGUMENT", /^vanilla_proof: found bad=1/],
    [good("SNAP_DEALS_UPDATE"), "FAILED_PRECONDITION", /snap-2k/],
  ];
  for (const [bad, code, pattern] of cases) {
    await refused(ask(client, "SubmitProof", bad), code, pattern);
    await refused(ask(client, "Prove", { submit: bad }), code, pattern);
  }
  await refused(ask(client, "Prove", {}), "INVALID_ARGUMENT", /^submit: found nothing/);
  for (const id of ["", "unknown", "a b", "x".repeat(5000), "<script>", "..%2f"])
    for (const method of ["AwaitProof", "CancelProof"]) await refused(ask(client, method, { job_id: id }), "NOT_FOUND");
  for (const id of ["", "porep-33g", "PoRep-2k", "; drop table jobs"])
    for (const method of ["PreloadSRS", "EvictSRS"]) await refused(ask(client, method, { circuit_id: id }), "NOT_FOUND");
  await refused(ask(client, "PreloadSRS", { circuit_id: "snap-2k" }), "FAILED_PRECONDITION", /snap-2k/);
  await refused(
    ask(client, "AwaitProof", { job_id: "x".repeat(70000) }),
    "INVALID_ARGUMENT",
    /found a message of 70\d+ bytes, expected at most 65536/,
  );

  const field = (n, bytes) => Buffer.concat([Buffer.from([(n << 3) | 2, bytes.length]), bytes]);
  for (const [id, pattern] of [
    [Buffer.from([0xff, 0xfe]), /^request_id: found 2 bytes that are not UTF-8/],
    [Buffer.from("a\0b"), /^request_id: found a NUL/],
  ]) {
    await refused(raw(client, "SubmitProof", field(1, id)), "INVALID_ARGUMENT", pattern);
    await refused(raw(client, "Prove", field(1, field(1, id))), "INVALID_ARGUMENT", pattern);
    await refused(raw(client, "AwaitProof", field(1, id)), "INVALID_ARGUMENT", /^job_id: found/);
    await refused(raw(client, "EvictSRS", field(1, id)), "INVALID_ARGUMENT", /^circuit_id: found/);
  }
  for (const method of ["SubmitProof", "Prove", "AwaitProof", "CancelProof", "PreloadSRS", "GetStatus"])
    await refused(
      raw(client, method, Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f])),
      "INVALID_ARGUMENT",
      /found bytes that are not/,
    );
  await refused(raw(client, "SubmitProof", Buffer.alloc(8 * MIB, Buffer.from([0x5a, 0]))), "INVALID_ARGUMENT", /more than 4096/);
  await refused(
    new Promise((resolve, reject) =>
      client.makeUnaryRequest(
        "/cuzk.v1.ProvingEngine/Nothing",
        b => b,
        b => b,
        Buffer.alloc(0),
        error => (error ? reject(error) : resolve()),
      ),
    ),
    "UNIMPLEMENTED",
    /no such method/,
  );
  assert.equal((await ask(client, "Prove", { submit: good("WINNING_POST") })).result.status, "COMPLETED"); // unharmed
  client.close();
  await daemon.stop();
});

test("ids with blanks, brackets and worse", async t => {
  const daemon = await start();
  const client = daemon.client();
  const ids = [
    "wdpost-1000-3-[1 2 3]",
    "'; DROP TABLE jobs; --",
    "<script>alert(1)</script>",
    "\u0001\u001b[31m\n\r\t",
    "é漢字🦀",
    "%s%n%x",
    'a"b\\c',
    "{{7*7}}",
    "",
  ];
  for (const request_id of ids) {
    const submit = request("WINDOW_POST_PARTITION", "", { request_id });
    assert.equal((await ask(client, "Prove", { submit })).result.status, "COMPLETED", JSON.stringify(request_id));
  }
  assert.doesNotMatch(daemon.log, /[^\x20-\x7e\n]/);
  const page = JSON.stringify(await daemon.status());
  assert.doesNotMatch(page, /<script>|\\u001b/);
  client.close();
  await daemon.stop();
});

test("a full queue is RESOURCE_EXHAUSTED, and accepts again when a job has ended", async t => {
  const daemon = await start({ config: { "scheduler.max_queued_jobs": 2 } });
  const client = daemon.client();
  const jobs = [];
  for (let i = 0; i < 2; i++) jobs.push(await ask(client, "SubmitProof", request("POREP_SEAL_COMMIT", "prove_ms=3600000")));
  await refused(ask(client, "SubmitProof", request("POREP_SEAL_COMMIT")), "RESOURCE_EXHAUSTED", /2/);
  await refused(ask(client, "Prove", { submit: request("POREP_SEAL_COMMIT") }), "RESOURCE_EXHAUSTED");
  for (const job of jobs) await ask(client, "CancelProof", { job_id: job.job_id });
  assert.equal((await ask(client, "Prove", { submit: request("POREP_SEAL_COMMIT") })).result.status, "COMPLETED");
  client.close();
  await daemon.stop();
});

test("deadlines and cancellation end the call at once, and its job", async t => {
  const daemon = await start({ config: { "daemon.abandon_grace": "0s" } });
  const client = daemon.client();
  const idle = async () => {
    const s = await daemon.status();
    return s.pipelines.length === 0 && s.queue.length === 0;
  };
  await refused(
    ask(client, "Prove", { submit: request("POREP_SEAL_COMMIT", "prove_ms=3600000") }, { ms: 1500 }),
    "DEADLINE_EXCEEDED",
  );
  await until(idle, "the job of an expired Prove ends");

  const proving = call(client, "Prove", { submit: request("POREP_SEAL_COMMIT", "prove_ms=3600000") });
  await until(async () => (await daemon.status()).pipelines.length === 1, "it runs");
  proving.cancel();
  await refused(proving, "CANCELLED");
  await until(idle, "the job of a cancelled Prove ends");

  const { job_id } = await ask(client, "SubmitProof", request("POREP_SEAL_COMMIT", "prove_ms=8000"));
  await refused(ask(client, "AwaitProof", { job_id }, { ms: 1000 }), "DEADLINE_EXCEEDED");
  const waiting = call(client, "AwaitProof", { job_id });
  await sleep(500);
  waiting.cancel();
  await refused(waiting, "CANCELLED");
  assert.equal((await ask(client, "AwaitProof", { job_id })).status, "COMPLETED"); // a submitted job needs no client
  client.close();
  await daemon.stop();
});

test("a Prove that comes back within the grace finds its job", async t => {
  const daemon = await start({ config: { "daemon.abandon_grace": "10m" } });
  const first = daemon.client(),
    second = daemon.client();
  const submit = request("POREP_SEAL_COMMIT", "prove_ms=8000");
  const lost = call(first, "Prove", { submit });
  await until(async () => (await daemon.status()).pipelines.length === 1, "it runs");
  const job = (await daemon.status()).pipelines[0].job_id;
  first.close();
  lost.cancel();
  await refused(lost, "CANCELLED");
  await sleep(300);
  const { result } = await ask(second, "Prove", { submit });
  assert.equal(result.status, "COMPLETED");
  assert.equal(result.job_id, job);
  second.close();
  await daemon.stop();
});

// Existing clients ping every 10 s through a Prove of minutes. A server of the C core that is not told otherwise ends a
// connection at the third ping within five minutes without data; twelve pings, as in two minutes, come here in 14 s.
// CUZK_KEEPALIVE_MS and CUZK_KEEPALIVE_EVERY_MS make it the real thing (130000, 10000).
test("keepalive pings through a Prove, and without calls", async t => {
  const daemon = await start();
  const every = Number(process.env.CUZK_KEEPALIVE_EVERY_MS || 1000);
  const client = daemon.client(undefined, {
    "grpc.keepalive_time_ms": every,
    "grpc.keepalive_timeout_ms": 60000,
    "grpc.keepalive_permit_without_calls": 1,
  });
  const { result } = await ask(client, "Prove", {
    submit: request("POREP_SEAL_COMMIT", `prove_ms=${process.env.CUZK_KEEPALIVE_MS || 14000}`),
  });
  assert.equal(result.status, "COMPLETED");
  await sleep(4 * every);
  await ask(client, "GetStatus", {});
  client.close();
  await daemon.stop();
});

test("bytes that are no HTTP/2, and clients that vanish", async () => {
  const daemon = await start({ config: { "daemon.abandon_grace": "0s" } });
  const [host, port] = daemon.address.split(":");
  const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  const frame = (type, bytes) => Buffer.concat([Buffer.from([0, 0, bytes.length, type, 0, 0, 0, 0, 1]), bytes]);
  const cases = [
    randomBytes(100000),
    Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
    preface.subarray(0, 10), // and then nothing
    Buffer.concat([preface, randomBytes(5000)]),
    Buffer.concat([preface, Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1])]), // a frame of 16 MiB that does not come
    Buffer.concat([preface, frame(1, randomBytes(200))]), // headers that are none
    Buffer.concat([preface, ...Array(2000).fill(frame(4, Buffer.alloc(6)))]), // settings without end
  ];
  const sockets = cases.map(bytes => net.connect(Number(port), host).on("error", () => {}));
  sockets.forEach((socket, i) => socket.write(cases[i]));
  const client = daemon.client();
  assert.equal((await ask(client, "Prove", { submit: request("WINNING_POST") })).result.status, "COMPLETED");
  // Not a word from this one: its process is gone in the middle of its Prove.
  const script = `const { ProvingEngine, grpc, request } = await import(process.env.CUZK_SOURCE_DIR + "/tests/daemon/daemon.mjs");
    new ProvingEngine("${daemon.address}", grpc.credentials.createInsecure()).Prove({ submit: request("POREP_SEAL_COMMIT", "prove_ms=3600000") }, () => {});`;
  const other = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
  await until(async () => (await daemon.status()).pipelines.length === 1, "its job runs");
  other.kill("SIGKILL");
  await until(async () => (await daemon.status()).pipelines.length === 0, "its job ends");
  for (const socket of sockets) socket.destroy();
  client.close();
  await daemon.stop();
});

test("compressed messages are refused: their size is not known before", async t => {
  const daemon = await start();
  const client = daemon.client(undefined, { "grpc.default_compression_algorithm": 2 });
  const submit = request("POREP_SEAL_COMMIT", "", { vanilla_proof: Buffer.alloc(16 * MIB) });
  await refused(ask(client, "Prove", { submit }), "UNIMPLEMENTED", /gzip/);
  client.close();
  await daemon.stop();
});
