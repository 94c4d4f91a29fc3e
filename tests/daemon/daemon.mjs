// A daemon under test, a gRPC client for it, and what the tests ask of both.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

const require = createRequire(process.env.CUZK_NODE_PACKAGES + "/");
export const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");
export { assert, sleep };

export const MIB = 1 << 20;
export const SECTOR_32G = 34359738368;
const source = process.env.CUZK_SOURCE_DIR;
const keep = { keepCase: true, longs: Number, enums: String, defaults: true };
const proving = loader.loadSync(source + "/proto/proving.proto", keep);
export const ProvingEngine = grpc.loadPackageDefinition(proving).cuzk.v1.ProvingEngine;
export const methods = proving["cuzk.v1.ProvingEngine"];

// A directory that goes when the process does.
const directories = [];
export function scratch(name = "cuzk-test-") {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), name));
  directories.push(directory);
  return directory;
}
const running = new Set();
// A failed test leaves daemons and connections behind, which would keep this process.
after(() => {
  for (const child of running) child.kill("SIGKILL");
  setTimeout(() => process.exit(), 2000).unref();
});
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
  for (const directory of directories) fs.rmSync(directory, { recursive: true, force: true });
});

function toml(value) {
  return Array.isArray(value) ? "[" + value.map(toml).join(", ") + "]" : JSON.stringify(value);
}

// Starts a daemon and waits for its "ready" line. config: {"daemon.listen": ...}; what is left out gets a free port, a
// state directory of its own and a budget of 1 GiB. program: the environment variable that names it.
export async function start({ config = {}, env = {}, args = [], program = "CUZK_FAKE_DAEMON", ready = true } = {}) {
  const directory = scratch();
  const all = {
    "daemon.listen": "127.0.0.1:0",
    "daemon.status_listen": "127.0.0.1:0",
    "daemon.state_dir": directory + "/state",
    "memory.total_budget": "2GiB",
    "logging.level": "debug",
    ...config,
  };
  const file = directory + "/cuzk.toml";
  fs.writeFileSync(
    file,
    Object.entries(all)
      .filter(([, v]) => v !== undefined)
      .map(([key, value]) => `${key} = ${toml(value)}\n`)
      .join(""),
  );
  const child = spawn(process.env[program], ["--config", file, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "inherit", "pipe"],
  });
  const daemon = new Daemon(child, all);
  if (ready) await daemon.ready();
  return daemon;
}

export class Daemon {
  constructor(child, config) {
    Object.assign(this, { child, config, log: "", exit: null });
    running.add(child);
    child.stderr.setEncoding("utf8");
    child.stderr.on("data", text => {
      this.log += text;
      if (process.env.CUZK_TEST_VERBOSE) process.stderr.write(text);
    });
    this.exited = new Promise(resolve =>
      child.on("close", (code, signal) => {
        running.delete(child);
        this.exit = { code, signal };
        resolve(this.exit);
      }),
    );
  }
  // The first line of the log that matches, as soon as it is there.
  async line(pattern, seconds = 240) {
    const end = Date.now() + seconds * 1000;
    for (;;) {
      const found = this.log.match(pattern);
      if (found) return found;
      if (this.exit) throw new Error(`the daemon ended (${JSON.stringify(this.exit)}) before ${pattern}:\n${this.log}`);
      if (Date.now() > end) throw new Error(`no line ${pattern} within ${seconds} s:\n${this.log}`);
      await sleep(10);
    }
  }
  async ready() {
    const found = await this.line(/cuzk-daemon ready, serving on (.*?)["\n]/);
    this.addresses = found[1].split(", ");
    this.address = this.addresses[0].replace(/^unix:\/\//, "unix:");
    const page = this.log.match(/status page on (http:\S+?)["\n]/);
    this.page = page && page[1];
    return this;
  }
  client(credentials = grpc.credentials.createInsecure(), options = {}) {
    return new ProvingEngine(options.address || this.address, credentials, {
      "grpc.max_receive_message_length": -1,
      "grpc.max_send_message_length": -1,
      "grpc.use_local_subchannel_pool": 1,
      ...options,
    });
  }
  async status() {
    return (await fetch(this.page + "/status")).json();
  }
  residentBytes() {
    const text = fs.readFileSync(`/proc/${this.child.pid}/status`, "utf8");
    return 1024 * Number(text.match(/VmRSS:\s+(\d+)/)[1]);
  }
  // Ends it and asserts that it ended well.
  async stop(signal = "SIGTERM") {
    this.child.kill(signal);
    const exit = await this.exited;
    assert.deepEqual(exit, { code: 0, signal: null }, this.log);
    assert.doesNotMatch(this.log, /Sanitizer|runtime error/);
  }
  async kill() {
    this.child.kill("SIGKILL");
    await this.exited;
  }
}

// A call as a promise of {reply, trailer}; errors have .code and .details. The promise has .cancel().
export function call(client, method, request, options = {}) {
  let running;
  const promise = new Promise((resolve, reject) => {
    let reply;
    const deadline = options.ms ? { deadline: Date.now() + options.ms } : {};
    running = client[method](request, new grpc.Metadata(), deadline, (error, value) => (error ? reject(error) : (reply = value)));
    running.on(
      "status",
      status => status.code === grpc.status.OK && setImmediate(() => resolve({ reply, trailer: status.metadata })),
    );
  });
  promise.cancel = () => running.cancel();
  return promise;
}
export const ask = async (client, method, request, options) => (await call(client, method, request, options)).reply;

// Asserts that a call ends with that status and a message that matches.
export async function refused(promise, code, pattern, what = "") {
  let problem = null;
  await promise.catch(error => {
    problem = error;
  });
  assert.ok(problem, `the call succeeded ${what}`);
  assert.equal(grpc.status[problem.code], code, problem.message + what);
  if (pattern) assert.match(problem.details, pattern);
}

// A request that the fake backend understands: script says how long it takes and what goes wrong.
let number = 0;
export function request(kind, script = "", fields = {}) {
  const id = `test-${process.pid}-${++number}`;
  const proof = Buffer.from(`${script} seed=${id}`);
  const hash = Buffer.alloc(32, 7);
  const common = { request_id: id, proof_kind: kind, sector_size: 2048, sector_number: 16, miner_id: 1001 };
  switch (kind) {
    case "POREP_SEAL_COMMIT":
      return { ...common, registered_proof: 5, vanilla_proof: proof, ...fields };
    case "SNAP_DEALS_UPDATE":
      return {
        ...common,
        registered_proof: 0,
        vanilla_proofs: [proof],
        comm_r_old: hash,
        comm_r_new: hash,
        comm_d_new: hash,
        ...fields,
      };
    default:
      return {
        ...common,
        registered_proof: kind === "WINNING_POST" ? 0 : 10,
        vanilla_proofs: [proof],
        randomness: hash,
        ...fields,
      };
  }
}
export const KINDS = ["POREP_SEAL_COMMIT", "SNAP_DEALS_UPDATE", "WINDOW_POST_PARTITION", "WINNING_POST"];

// Waits until check() is true.
export async function until(check, what, seconds = 240) {
  const end = Date.now() + seconds * 1000;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`not within ${seconds} s: ${what}`);
    await sleep(20);
  }
}

// ---- Real jobs ----------------------------------------------------------------------------------------------------

export const jobs = source + "/tests/data/jobs";

// A directory of parameters: CUZK_TEST_PARAMS, else WindowPoSt's and WinningPoSt's of 2 KiB, made here in seconds.
export function parameters() {
  if (process.env.CUZK_TEST_PARAMS) return process.env.CUZK_TEST_PARAMS;
  const directory = process.env.CUZK_BUILD_DIR + "/daemon-params";
  for (const kind of ["window", "winning"]) {
    if (fs.existsSync(`${directory}/${kind}.made`)) continue;
    execFileSync(process.env.CUZK, ["setup", kind, "2KiB", "--out", directory, "--quiet", "--force"], { stdio: "pipe" });
    fs.writeFileSync(`${directory}/${kind}.made`, "");
  }
  return directory;
}

// tests/data/jobs/NAME/job.json as a SubmitProofRequest, with an id as Curio makes them for WindowPoSt.
export function realJob(name, fields = {}) {
  const job = JSON.parse(fs.readFileSync(`${jobs}/${name}/job.json`));
  const bytes = text => (text === undefined ? undefined : Buffer.from(text, "hex"));
  const submit = {
    request_id: `${name}-[1 2 3]`,
    proof_kind: job.proof_kind,
    registered_proof: job.registered_proof,
    sector_size: job.sector_size,
    sector_number: job.sector_number || 0,
    miner_id: job.miner_id,
    randomness: bytes(job.randomness),
    partition_index: job.partition_index || 0,
    comm_r_old: bytes(job.comm_r_old),
    comm_r_new: bytes(job.comm_r_new),
    comm_d_new: bytes(job.comm_d_new),
  };
  if (job.vanilla_proof) submit.vanilla_proof = fs.readFileSync(`${jobs}/${name}/${job.vanilla_proof}`);
  else
    submit.vanilla_proofs = JSON.parse(fs.readFileSync(`${jobs}/${name}/${job.vanilla_proofs}`)).map(text =>
      Buffer.from(text, "base64"),
    );
  return { ...submit, ...fields };
}

// Starts the daemon with its real engine.
export const startReal = (config = {}) =>
  start({ program: "CUZK_DAEMON", config: { "srs.param_cache": parameters(), "memory.total_budget": "auto", ...config } });
// The circuits that it could prove now.
export const provable = async daemon =>
  new Set((await daemon.status()).circuits.filter(c => c.provable).map(c => c.circuit_id));
