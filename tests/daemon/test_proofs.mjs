// Real proofs of real requests through the real daemon. WindowPoSt and WinningPoSt of 2 KiB with parameters made here in
// seconds; SnapDeals and PoRep too where CUZK_TEST_PARAMS names a directory that has theirs. Where the referee is
// (CUZK_PEER, or built by tools/interop.sh) it verifies them as well.
import test from "node:test";
import { execFile, spawnSync } from "node:child_process";
import fs from "node:fs";
import { ask, assert, call, jobs, parameters, provable, realJob, refused, scratch, startReal } from "./daemon.mjs";

const peer = process.env.CUZK_PEER || process.env.CUZK_BUILD_DIR + "/peer/target/release/cuzk-peer";

const circuits = {
  "winning-post": "winning-2k",
  "window-post-v1": "wpost-2k",
  "window-post-v1_2": "wpost-2k",
  "window-post-short": "wpost-2k",
  "snap-deals": "snap-2k",
  "porep-StackedDrg2KiBV1_1": "porep-2k",
};

// Whether a verifier, ours or the referee's, takes the proof.
function accepts(program, name, proof) {
  const file = scratch() + "/proof.bin";
  fs.writeFileSync(file, proof);
  const result = spawnSync(program, ["verify", `${jobs}/${name}/job.json`, file], {
    encoding: "utf8",
    env: { ...process.env, FIL_PROOFS_PARAMETER_CACHE: parameters() },
  });
  assert.ok(result.status === 0 || result.status === 1, `${program}: ${result.stdout}${result.stderr}`);
  return result.status === 0;
}

test("proofs of the kinds whose parameters are there, and what their absence gives", async t => {
  const daemon = await startReal();
  const client = daemon.client();
  const here = await provable(daemon),
    verifiers = [process.env.CUZK, peer].filter(program => fs.existsSync(program));
  assert.ok(here.has("wpost-2k") && here.has("winning-2k"), [...here].join());
  if (process.env.CUZK_TEST_PARAMS) for (const circuit of Object.values(circuits)) assert.ok(here.has(circuit), circuit);
  if (process.env.CUZK_REQUIRE_EVERYTHING) assert.equal(verifiers.length, 2, `the referee is not at ${peer}`);
  for (const [name, circuit] of Object.entries(circuits)) {
    if (!here.has(circuit)) {
      await refused(ask(client, "Prove", { submit: realJob(name) }), "FAILED_PRECONDITION", /parameter/);
      continue;
    }
    // SnapDeals and WindowPoSt as Curio sends them: without a sector size.
    const leftOut = /snap|window/.test(name) ? { sector_size: 0 } : {};
    const {
      reply: { result },
      trailer,
    } = await call(client, "Prove", { submit: realJob(name, leftOut) });
    assert.equal(result.status, "COMPLETED", `${name}: ${result.error_message}`);
    assert.equal(result.proof.length % 192, 0);
    assert.match(trailer.get("cuzk-warning").join(), /development parameters/);
    const flipped = Buffer.from(result.proof);
    flipped[150] ^= 1;
    for (const verifier of verifiers) {
      assert.ok(accepts(verifier, name, result.proof), `${verifier}: ${name}`);
      assert.ok(!accepts(verifier, name, flipped), `${verifier}: ${name}, flipped`);
    }
    t.diagnostic(`${name}: proved and accepted by ${verifiers.length} verifiers`);
  }
  // What contradicts itself is refused with both values, before anything is proved.
  const winning = realJob("winning-post");
  for (const [fields, pattern] of [
    [{ sector_size: 4096 }, /4096.*2048|2048.*4096/],
    [{ registered_proof: 3 }, /registered_proof|sector_size/],
    [{ registered_proof: 99 }, /registered_proof: found 99/],
    [{ randomness: Buffer.alloc(0) }, /randomness/],
    [{ vanilla_proofs: [] }, /vanilla_proofs/],
    [{ vanilla_proofs: [Buffer.from("garbage")] }, /vanilla_proofs/],
    [{ proof_kind: "POREP_SEAL_COMMIT" }, /^vanilla_proofs: found 1, expected none/],
    [{ vanilla_proof: Buffer.from("{}") }, /^vanilla_proof: found 2 bytes, expected none/],
  ])
    await refused(ask(client, "SubmitProof", { ...winning, ...fields }), "INVALID_ARGUMENT", pattern, JSON.stringify(fields));
  client.close();
  await daemon.stop();
});

test("cuzk-bench with real jobs", async () => {
  const daemon = await startReal();
  const bench = (...args) =>
    new Promise(resolve =>
      execFile(process.env.CUZK_BENCH, args, (error, out, err) => resolve({ code: error ? error.code : 0, out, err })),
    );
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
  // The registered proof comes from the C1 output; a miner that is not the C1's is found before parameters are needed.
  const porep = ["-t", "porep", "--c1", `${jobs}/porep-StackedDrg2KiBV1_1/c1.json`, "--sector-num", "16"];
  r = await bench(...addr, "single", ...porep, "--miner-id", "1002");
  assert.deepEqual([r.code, /INVALID_ARGUMENT: miner_id: found 1002/.test(r.err)], [2, true], r.err);
  await daemon.stop();
});
