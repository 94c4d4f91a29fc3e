// Where the daemon listens, how it starts and stops: sockets, TLS, health, reflection, drain, restart.
import test from "node:test";
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import { ask, assert, call, grpc, refused, request, scratch, sleep, start, until } from "./daemon.mjs";

const loader = createRequire(process.env.CUZK_NODE_PACKAGES + "/")("@grpc/proto-loader");

function service(text, name) {
  const file = scratch() + "/service.proto";
  fs.writeFileSync(file, text);
  let at = grpc.loadPackageDefinition(loader.loadSync(file, { keepCase: true, longs: Number, enums: String, defaults: true }));
  for (const part of name.split(".")) at = at[part];
  return at;
}
// The public definitions of these services, as far as they are used here.
const Health = service(
  `syntax = "proto3"; package grpc.health.v1;
message HealthCheckRequest { string service = 1; }
message HealthCheckResponse { enum ServingStatus { UNKNOWN = 0; SERVING = 1; NOT_SERVING = 2; SERVICE_UNKNOWN = 3; } ServingStatus status = 1; }
service Health { rpc Check(HealthCheckRequest) returns (HealthCheckResponse); rpc Watch(HealthCheckRequest) returns (stream HealthCheckResponse); }`,
  "grpc.health.v1.Health",
);
const reflection = version =>
  service(
    `syntax = "proto3"; package grpc.reflection.${version};
message ServerReflectionRequest { string host = 1; oneof message_request { string file_by_filename = 3; string file_containing_symbol = 4;
  string all_extension_numbers_of_type = 6; string list_services = 7; } }
message ServerReflectionResponse { string valid_host = 1; ServerReflectionRequest original_request = 2;
  oneof message_response { FileDescriptorResponse file_descriptor_response = 4; ListServiceResponse list_services_response = 6; ErrorResponse error_response = 7; } }
message FileDescriptorResponse { repeated bytes file_descriptor_proto = 1; }
message ListServiceResponse { repeated ServiceResponse service = 1; } message ServiceResponse { string name = 1; }
message ErrorResponse { int32 error_code = 1; string error_message = 2; }
service ServerReflection { rpc ServerReflectionInfo(stream ServerReflectionRequest) returns (stream ServerReflectionResponse); }`,
    `grpc.reflection.${version}.ServerReflection`,
  );

const plain = () => grpc.credentials.createInsecure();

test("health: Check and Watch", async () => {
  const daemon = await start();
  const client = new Health(daemon.address, plain());
  for (const name of ["", "cuzk.v1.ProvingEngine"])
    assert.equal((await ask(client, "Check", { service: name })).status, "SERVING");
  await refused(ask(client, "Check", { service: "other" }), "NOT_FOUND");
  const seen = [],
    unknown = [];
  const watch = client.Watch({ service: "" }),
    other = client.Watch({ service: "other" });
  watch.on("data", m => seen.push(m.status)).on("error", () => {});
  other.on("data", m => unknown.push(m.status)).on("error", () => {});
  await until(() => seen.length === 1 && unknown.length === 1, "the first states");
  await daemon.stop();
  assert.deepEqual([seen, unknown], [["SERVING", "NOT_SERVING"], ["SERVICE_UNKNOWN"]]);
  client.close();
});

test("reflection, both names of it", async () => {
  const daemon = await start();
  for (const version of ["v1", "v1alpha"]) {
    const client = new (reflection(version))(daemon.address, plain());
    const stream = client.ServerReflectionInfo();
    const replies = [];
    stream.on("data", m => replies.push(m));
    const ended = new Promise(resolve => stream.on("status", resolve));
    stream.on("error", () => {});
    for (const question of [
      { list_services: "*" },
      { file_containing_symbol: "cuzk.v1.ProvingEngine.Prove" },
      { file_by_filename: "proving.proto" },
      { file_containing_symbol: "cuzk.v1.AwaitProofResponse.Status" },
      { file_containing_symbol: "cuzk.v1.Prov" },
      { file_by_filename: "x" },
      { all_extension_numbers_of_type: "cuzk.v1.ProveRequest" },
      {},
    ])
      stream.write(question);
    stream.end();
    assert.equal((await ended).code, grpc.status.OK);
    assert.equal(replies.length, 8);
    assert.deepEqual(replies[0].list_services_response.service.map(s => s.name).sort(), [
      "cuzk.v1.ProvingEngine",
      "grpc.health.v1.Health",
      "grpc.reflection.v1.ServerReflection",
    ]);
    const files = replies.slice(1, 4).map(r => r.file_descriptor_response.file_descriptor_proto);
    for (const file of files) assert.deepEqual(file, files[0]);
    assert.ok(files[0][0].includes("PreloadSrsRequest"));
    assert.deepEqual(
      replies.slice(4).map(r => r.error_response.error_code),
      [grpc.status.NOT_FOUND, grpc.status.NOT_FOUND, grpc.status.NOT_FOUND, grpc.status.INVALID_ARGUMENT],
    );
    client.close();
  }
  await daemon.stop();
});

// A certificate authority, a server's and a client's certificate, and those of a stranger.
function certificates(directory = scratch()) {
  const openssl = (...args) => execFileSync("openssl", args, { cwd: directory, stdio: "pipe" });
  for (const authority of ["ca", "stranger"])
    openssl(
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-days",
      "2",
      "-subj",
      `/CN=${authority}`,
      "-keyout",
      `${authority}.key`,
      "-out",
      `${authority}.pem`,
    );
  for (const [name, authority] of [
    ["server", "ca"],
    ["client", "ca"],
    ["intruder", "stranger"],
  ]) {
    openssl(
      "req",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-subj",
      `/CN=${name}`,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.csr`,
    );
    fs.writeFileSync(`${directory}/${name}.ext`, "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
    openssl(
      "x509",
      "-req",
      "-in",
      `${name}.csr`,
      "-CA",
      `${authority}.pem`,
      "-CAkey",
      `${authority}.key`,
      "-CAcreateserial",
      "-days",
      "2",
      "-extfile",
      `${name}.ext`,
      "-out",
      `${name}.pem`,
    );
  }
  return { directory, read: name => fs.readFileSync(`${directory}/${name}`) };
}

test("TLS and mutual TLS", async () => {
  const c = certificates();
  const tls = { "daemon.tls_certificate": c.directory + "/server.pem", "daemon.tls_key": c.directory + "/server.key" };
  const asks = async (daemon, credentials) => {
    const client = daemon.client(credentials);
    try {
      return await ask(client, "Prove", { submit: request("WINNING_POST") }, { ms: 60000 });
    } finally {
      client.close();
    }
  };
  let daemon = await start({ config: { ...tls, "daemon.listen": ["127.0.0.1:0", `unix://${c.directory}/plain.sock`] } });
  assert.equal((await asks(daemon, grpc.credentials.createSsl(c.read("ca.pem")))).result.status, "COMPLETED");
  await refused(asks(daemon, plain()), "UNAVAILABLE");
  await refused(asks(daemon, grpc.credentials.createSsl(c.read("stranger.pem"))), "UNAVAILABLE");
  const local = daemon.client(plain(), { address: `unix:${c.directory}/plain.sock` }); // Unix sockets stay plain
  await ask(local, "GetStatus", {});
  local.close();
  await daemon.stop();

  daemon = await start({ config: { ...tls, "daemon.tls_client_ca": c.directory + "/ca.pem" } });
  assert.equal(
    (await asks(daemon, grpc.credentials.createSsl(c.read("ca.pem"), c.read("client.key"), c.read("client.pem")))).result.status,
    "COMPLETED",
  );
  await refused(asks(daemon, grpc.credentials.createSsl(c.read("ca.pem"))), "UNAVAILABLE");
  await refused(
    asks(daemon, grpc.credentials.createSsl(c.read("ca.pem"), c.read("intruder.key"), c.read("intruder.pem"))),
    "UNAVAILABLE",
  );
  await daemon.stop();

  for (const [key, file, pattern] of [
    ["daemon.tls_key", "/ca.csr.missing", /daemon.tls_key: .*cannot open/],
    ["daemon.tls_certificate", "/server.ext", /daemon.tls_certificate: .*found no PEM/],
    ["daemon.tls_key", "/client.pem", /daemon.tls_key: .*found no private key/],
    ["daemon.tls_key", "/client.key", /daemon.tls_key: .*found another key than that of/],
    ["daemon.tls_client_ca", "/ca.key", /daemon.tls_client_ca: .*found no certificate/],
  ]) {
    const broken = await start({ config: { ...tls, [key]: c.directory + file }, ready: false });
    assert.equal((await broken.exited).code, 2, broken.log);
    assert.match(broken.log, pattern);
  }
});

test("SIGHUP reads the certificates again, and bad ones change nothing", async () => {
  const old = certificates(),
    before = old.read("ca.pem");
  const tls = { "daemon.tls_certificate": old.directory + "/server.pem", "daemon.tls_key": old.directory + "/server.key" };
  const daemon = await start({ config: tls });
  const status = async authority => {
    const client = daemon.client(grpc.credentials.createSsl(authority));
    try {
      return await ask(client, "GetStatus", {}, { ms: 60000 });
    } finally {
      client.close();
    }
  };
  const longLived = daemon.client(grpc.credentials.createSsl(before));
  await ask(longLived, "GetStatus", {});
  certificates(old.directory); // others under the same names
  const now = old.read("ca.pem");
  await status(before); // nobody has said so yet
  daemon.child.kill("SIGHUP");
  await daemon.line(/certificates read anew/);
  await status(now);
  await refused(status(before), "UNAVAILABLE");
  await ask(longLived, "GetStatus", {}); // connections go on as they are
  fs.writeFileSync(old.directory + "/server.pem", "not a certificate");
  daemon.child.kill("SIGHUP");
  await daemon.line(/SIGHUP: daemon.tls_certificate: .*found no PEM.*stay as they were/);
  await status(now);
  longLived.close();
  await daemon.stop();
});

test("Unix sockets: permissions, a second daemon, and what kill -9 leaves", async () => {
  const path = scratch() + "/cuzk.sock";
  const config = { "daemon.listen": "unix://" + path };
  const first = await start({ config });
  assert.equal(fs.statSync(path).mode & 0o777, 0o660);
  const client = first.client();
  await ask(client, "GetStatus", {});
  const second = await start({ config, ready: false });
  assert.equal((await second.exited).code, 3);
  assert.match(second.log, /another daemon serves unix:/);
  await ask(client, "GetStatus", {}); // the first one still has its socket
  await first.kill();
  client.close();
  const third = await start({ config });
  const again = third.client();
  await ask(again, "GetStatus", {});
  again.close();
  await third.stop();
  fs.rmSync(path, { force: true });
  fs.writeFileSync(path, "a file");
  const fourth = await start({ config, ready: false });
  assert.equal((await fourth.exited).code, 2);
  assert.equal(fs.readFileSync(path, "utf8"), "a file");
});

test("a port or a state directory in use is refused", async () => {
  const first = await start();
  const state = first.config["daemon.state_dir"];
  for (const config of [
    { "daemon.listen": first.addresses[0] },
    { "daemon.listen": "127.0.0.1:0", "daemon.status_listen": first.page.slice(7) },
  ]) {
    const second = await start({ config, ready: false });
    assert.equal((await second.exited).code, 3, second.log);
    assert.match(second.log, /cannot listen on 127.0.0.1:\d+: Address already in use/);
  }
  const third = await start({ config: { "daemon.state_dir": state }, ready: false });
  assert.equal((await third.exited).code, 3, third.log);
  assert.ok(third.log.includes(state), third.log);
  await first.stop();
});

test("SIGTERM lets running calls end, refuses new requests, and reports NOT_SERVING meanwhile", async () => {
  const daemon = await start();
  const client = daemon.client(),
    health = new Health(daemon.address, plain());
  const running = ask(client, "Prove", { submit: request("POREP_SEAL_COMMIT", "prove_ms=8000") });
  await until(async () => (await daemon.status()).pipelines.length === 1, "it runs");
  daemon.child.kill("SIGTERM");
  await until(async () => (await ask(health, "Check", { service: "" })).status === "NOT_SERVING", "health");
  await refused(ask(client, "SubmitProof", request("POREP_SEAL_COMMIT")), "UNAVAILABLE");
  await refused(ask(client, "Prove", { submit: request("POREP_SEAL_COMMIT") }), "UNAVAILABLE");
  assert.equal((await daemon.status()).draining, true);
  assert.equal((await running).result.status, "COMPLETED");
  assert.equal((await daemon.exited).code, 0, daemon.log);
  client.close();
  health.close();
});

test("a second SIGTERM ends it at once; unfinished jobs go on after a restart", async () => {
  const config = { "daemon.state_dir": scratch() + "/state" };
  let daemon = await start({ config });
  let client = daemon.client();
  const { job_id } = await ask(client, "SubmitProof", request("POREP_SEAL_COMMIT", "partitions=3 prove_ms=4000"));
  const done = await ask(client, "Prove", { submit: request("WINNING_POST") });
  const submit = request("POREP_SEAL_COMMIT", "prove_ms=30000", { request_id: "cut off" });
  const cut = ask(client, "Prove", { submit });
  const waiting = ask(client, "AwaitProof", { job_id });
  const outcomes = Promise.all([refused(cut, "UNAVAILABLE"), refused(waiting, "UNAVAILABLE")]);
  await until(async () => {
    const s = await daemon.status();
    return s.pipelines.length + s.queue.length === 2;
  }, "both are there");
  daemon.child.kill("SIGTERM");
  await daemon.line(/stopping: new requests are refused/);
  daemon.child.kill("SIGTERM");
  assert.equal((await daemon.exited).code, 0, daemon.log);
  await outcomes;
  client.close();

  daemon = await start({ config });
  client = daemon.client();
  assert.equal((await ask(client, "AwaitProof", { job_id })).status, "COMPLETED");
  assert.deepEqual((await ask(client, "AwaitProof", { job_id: done.result.job_id })).proof, done.result.proof);
  await until(
    async () => (await daemon.status()).pipelines.some(p => p.total_partitions === 1),
    "the job of the Prove that was cut off goes on too",
  );
  const again = await ask(client, "SubmitProof", submit); // and is still the same job
  assert.equal((await daemon.status()).pipelines[0].job_id, again.job_id);
  await daemon.kill();
  client.close();
});

test("kill -9 loses no accepted job", async () => {
  const config = { "daemon.state_dir": scratch() + "/state" };
  let daemon = await start({ config }),
    client = daemon.client();
  const jobs = [];
  for (let i = 0; i < 20; i++)
    jobs.push((await ask(client, "SubmitProof", request("WINDOW_POST_PARTITION", "prove_ms=30"))).job_id);
  await daemon.kill();
  client.close();
  daemon = await start({ config });
  client = daemon.client();
  for (const job_id of jobs) assert.equal((await ask(client, "AwaitProof", { job_id })).status, "COMPLETED");
  client.close();
  await daemon.stop();
});

test("log levels, JSON lines, SIGHUP, SIGINT", async () => {
  let daemon = await start({ config: { "logging.format": "json", "logging.level": "info" } });
  for (const line of daemon.log.trim().split("\n")) assert.ok(JSON.parse(line).message, line);
  daemon.child.kill("SIGHUP");
  await daemon.line(/SIGHUP: there are no certificates/);
  // Scripts find the process by its name, though it has started itself twice.
  assert.equal(fs.readFileSync(`/proc/${daemon.child.pid}/comm`, "utf8"), "fake_daemon\n");
  await daemon.stop("SIGINT");
  daemon = await start({ config: { "logging.level": "info" }, env: { RUST_LOG: "debug" }, ready: false });
  await daemon.line(/cuzk-daemon ready, serving on 127.0.0.1:\d+/);
  await daemon.stop();
  const quiet = spawnSync(process.env.CUZK_FAKE_DAEMON, ["--log-level", "loud"], { encoding: "utf8" });
  assert.equal(quiet.status, 2);
  assert.match(quiet.stderr, /--log-level: found loud, expected trace/);
});

test("CUZK_TIMING=1 logs each phase of each partition", async () => {
  const daemon = await start({ env: { CUZK_TIMING: "1" }, config: { "logging.level": "info" } });
  const client = daemon.client();
  const { result } = await ask(client, "Prove", { submit: request("SNAP_DEALS_UPDATE", "partitions=3 fail_prove=1") });
  assert.equal(result.status, "COMPLETED");
  client.close();
  await daemon.stop();
  const lines = [
    ...daemon.log.matchAll(
      /timing job=(\S+) circuit=snap-2k partition=(\d) attempt=(\d) stage=(\w+) start_ms=[\d.]+ ms=[\d.]+ worker=\d( failed)?$/gm,
    ),
  ];
  assert.ok(lines.every(l => l[1] === result.job_id));
  const seen = lines.map(l => `${l[4]} ${l[2]}.${l[3]}${l[5] || ""}`).sort();
  assert.deepEqual(seen, [
    "prepare 0.1",
    ...["0.1 failed", "0.2", "1.1", "2.1"].map(p => "prove " + p),
    "srs_load 0.1",
    ...["0.1", "0.2", "1.1", "2.1"].map(p => "synthesis " + p),
    ...["0.2", "1.1", "2.1"].map(p => "verify " + p),
  ]);
});

test("--check-config and the texts made from the table of keys", async () => {
  const directory = scratch(),
    file = directory + "/cuzk.toml";
  const run = (...args) => spawnSync(process.env.CUZK_FAKE_DAEMON, args, { encoding: "utf8" });
  fs.writeFileSync(file, '[daemon]\nlisten = "127.0.0.1:1"\n[srs]\npreload = ["porep-32g"]\n');
  let result = run("--config", file, "--check-config");
  assert.deepEqual([result.status, result.stdout], [0, `${file}: good\n`]);
  assert.match(result.stderr, /line 4: srs.preload is ignored/);
  fs.writeFileSync(file, "[scheduler]\nmax_bach_size = 2\n");
  result = run("--config", file, "--check-config");
  assert.deepEqual(
    [result.status, result.stderr],
    [2, `cuzk-daemon: ${file}: line 2: unknown key scheduler.max_bach_size; did you mean scheduler.max_batch_size?\n`],
  );
  assert.equal(run("--config", directory + "/missing.toml", "--check-config").status, 2);
  assert.equal(run("--confg", file).status, 2);
  fs.writeFileSync(file, run("--print-sample-config").stdout);
  assert.equal(run("--config", file, "--check-config").status, 0);
  assert.match(run("--print-config-documentation").stdout, /^# Configuration/);
  assert.match(run("--version").stdout, /^cuzk-daemon \d/);
  assert.match(run("--help").stdout, /--check-config/);
});
