// Real proofs of real requests through the real daemon. WindowPoSt and WinningPoSt of 2 KiB with parameters made here in
// seconds; SnapDeals and PoRep too where CUZK_TEST_PARAMS names a directory that has theirs.
import test from "node:test";
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import { ask, assert, call, refused, scratch, start } from "./daemon.mjs";

const jobs = process.env.CUZK_SOURCE_DIR + "/tests/data/jobs";

function parameters() {
  if (process.env.CUZK_TEST_PARAMS) return process.env.CUZK_TEST_PARAMS;
  const directory = process.env.CUZK_BUILD_DIR + "/daemon-params";
  for (const kind of ["window", "winning"]) {
    if (fs.existsSync(`${directory}/${kind}.made`)) continue;
    execFileSync(process.env.CUZK, ["setup", kind, "2KiB", "--out", directory, "--quiet", "--force"], { stdio: "pipe" });
    fs.writeFileSync(`${directory}/${kind}.made`, "");
  }
  return directory;
}

// A job.json as a SubmitProofRequest.
function load(name, fields = {}) {
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

const circuits = {
  "winning-post": "winning-2k",
  "window-post-v1": "wpost-2k",
  "window-post-v1_2": "wpost-2k",
  "window-post-short": "wpost-2k",
  "snap-deals": "snap-2k",
  "porep-StackedDrg2KiBV1_1": "porep-2k",
};

test("proofs of the kinds whose parameters are there, and what their absence gives", async t => {
  const params = parameters();
  const daemon = await start({ program: "CUZK_DAEMON", config: { "srs.param_cache": params, "memory.total_budget": "auto" } });
  const client = daemon.client();
  const provable = new Set((await daemon.status()).circuits.filter(c => c.provable).map(c => c.circuit_id));
  assert.ok(provable.has("wpost-2k") && provable.has("winning-2k"), [...provable].join());
  const file = scratch() + "/proof.bin";
  for (const [name, circuit] of Object.entries(circuits)) {
    if (!provable.has(circuit)) {
      await refused(ask(client, "Prove", { submit: load(name) }), "FAILED_PRECONDITION", /parameter/);
      continue;
    }
    const {
      reply: { result },
      trailer,
    } = await call(client, "Prove", { submit: load(name) });
    assert.equal(result.status, "COMPLETED", `${name}: ${result.error_message}`);
    assert.equal(result.proof.length % 192, 0);
    assert.match(trailer.get("cuzk-warning").join(), /development parameters/);
    fs.writeFileSync(file, result.proof);
    const verify = () =>
      spawnSync(process.env.CUZK, ["verify", `${jobs}/${name}/job.json`, file, "--params", params], { encoding: "utf8" });
    assert.equal(verify().status, 0, name);
    result.proof[150] ^= 1;
    fs.writeFileSync(file, result.proof);
    assert.notEqual(verify().status, 0, name);
    // As Curio's proof-share requests come: without a sector size.
    assert.equal(
      (await ask(client, "Prove", { submit: load(name, { sector_size: 0, request_id: name + " without size" }) })).result.status,
      "COMPLETED",
    );
  }
  // What contradicts itself is refused with both values, before anything is proved.
  const winning = load("winning-post");
  for (const [fields, pattern] of [
    [{ sector_size: 4096 }, /4096.*2048|2048.*4096/],
    [{ registered_proof: 3 }, /registered_proof|sector_size/],
    [{ registered_proof: 99 }, /registered_proof: found 99/],
    [{ randomness: Buffer.alloc(0) }, /randomness/],
    [{ vanilla_proofs: [] }, /vanilla_proofs/],
    [{ vanilla_proofs: [Buffer.from("garbage")] }, /vanilla_proofs/],
    [{ proof_kind: "POREP_SEAL_COMMIT" }, /./],
  ])
    await refused(ask(client, "SubmitProof", { ...winning, ...fields }), "INVALID_ARGUMENT", pattern, JSON.stringify(fields));
  client.close();
  await daemon.stop();
});

test("cuzk-bench with real jobs", async () => {
  const params = parameters();
  const daemon = await start({ program: "CUZK_DAEMON", config: { "srs.param_cache": params, "memory.total_budget": "auto" } });
  const bench = (...args) =>
    new Promise(resolve => {
      import("node:child_process").then(({ execFile }) =>
        execFile(process.env.CUZK_BENCH, args, (error, out, err) => resolve({ code: error ? error.code : 0, out, err })),
      );
    });
  const addr = ["--addr", "http://" + daemon.address];
  let r = await bench(...addr, "single", `${jobs}/window-post-v1/job.json`);
  assert.equal(r.code, 0, r.err);
  assert.match(r.out, /proved: 192 bytes\nmade with development parameters/);
  const job = JSON.parse(fs.readFileSync(`${jobs}/winning-post/job.json`));
  r = await bench(
    ...addr,
    "batch",
    "-t",
    "winning",
    "--vanilla",
    `${jobs}/winning-post/vanilla.json`,
    "--registered-proof",
    "0",
    "--miner-id",
    String(job.miner_id),
    "--randomness",
    job.randomness,
    "-n",
    "3",
    "-j",
    "2",
    "--status-addr",
    daemon.page,
  );
  assert.equal(r.code, 0, r.err);
  assert.match(r.out, /^3 proved in /);
  r = await bench(...addr, "single", "-t", "porep", "--c1", `${jobs}/porep-StackedDrg2KiBV1_1/c1.json`, "--miner-id", "1001");
  if (r.code !== 0) assert.match(r.err, /FAILED_PRECONDITION/); // the registered proof came from the C1 output, the parameters are not here
  await daemon.stop();
});
