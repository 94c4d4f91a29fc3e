// Ten mixed jobs of real proofs: the order of urgency, how busy the prover is kept, and the memory that this takes, measured
// from outside. PoRep and SnapDeals are among them where CUZK_TEST_PARAMS has their parameters.
import test from "node:test";
import { MIB, ask, assert, provable, realJob, startReal, until } from "./daemon.mjs";

// What is queued before the WinningPoSt comes, in the order of submission; those whose parameters are missing are WindowPoSt.
const MIX = [
  ["porep-StackedDrg2KiBV1_1", "porep-2k"],
  ["snap-deals", "snap-2k"],
  ["window-post-v1", "wpost-2k"],
  ["window-post-v1_2", "wpost-2k"],
  ["window-post-short", "wpost-2k"],
  ["snap-deals", "snap-2k"],
  ["window-post-v1", "wpost-2k"],
  ["window-post-v1_2", "wpost-2k"],
  ["window-post-short", "wpost-2k"],
];
// Enough for the PoRep's parameters as a pass over them needs them, and little more. Values in full take 430 MiB besides.
const BUDGETS = { compact: 896 * MIB, classic: 1408 * MIB };
// Sanitizers keep memory of their own, and slow proving more than they slow the hand-over.
const measuring = !process.env.CUZK_SANITIZED;

const spansOf = async daemon => (await (await fetch(daemon.page + "/timeline")).json()).spans;

// The union of the stretches of proving as a share of the time from the first to the last.
function proverBusy(spans) {
  const proofs = spans.filter(s => s.stage === "prove").sort((a, b) => a.start_ns - b.start_ns);
  let covered = 0,
    end = 0;
  for (const s of proofs) {
    covered += Math.max(0, s.end_ns - Math.max(s.start_ns, end));
    end = Math.max(end, s.end_ns);
  }
  return covered / (end - proofs[0].start_ns);
}

// Nobody's proof began between the end of WinningPoSt's synthesis and the beginning of its proof, and at most the partition
// that was being proved then ended before it.
function assertOvertook(spans, job_id) {
  const of = stage => spans.find(s => s.job_id === job_id && s.stage === stage);
  const ready = of("synthesis").end_ns,
    prove = of("prove");
  const others = spans.filter(s => s.stage === "prove" && s.job_id !== job_id);
  assert.deepEqual(
    others.filter(s => s.start_ns > ready && s.start_ns < prove.start_ns),
    [],
  );
  assert.ok(others.filter(s => s.end_ns > ready && s.end_ns < prove.end_ns).length <= 1);
  assert.ok(others.some(s => s.start_ns > prove.end_ns), "others were waiting");
}

for (const [strategy, budget] of Object.entries(BUDGETS))
  test(`ten mixed jobs, ${strategy} synthesis`, async t => {
    const daemon = await startReal({
      "synthesis.strategy": strategy,
      "memory.total_budget": `${budget / MIB}MiB`,
      "scheduler.sort_by_type": false,
      "logging.level": "info",
    });
    const client = daemon.client();
    const here = await provable(daemon);
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, daemon.residentBytes());
    }, 5);
    const submitted = [];
    for (const [i, [name, circuit]] of MIX.entries()) {
      const submit = realJob(here.has(circuit) ? name : "window-post-v1_2", { request_id: `${name} ${i}`, priority: "NORMAL" });
      submitted.push((await ask(client, "SubmitProof", submit)).job_id);
    }
    await until(async () => (await spansOf(daemon)).some(s => s.stage === "prove"), "the first is being proved");
    const winning = (await ask(client, "SubmitProof", realJob("winning-post", { request_id: "late" }))).job_id; // CRITICAL by its kind
    for (const job_id of [winning, ...submitted]) {
      const result = await ask(client, "AwaitProof", { job_id });
      assert.equal(result.status, "COMPLETED", result.error_message);
    }
    clearInterval(watch);
    const spans = await spansOf(daemon),
      memory = (await daemon.status()).memory;
    assert.ok(spans.every(s => !s.failed));
    assertOvertook(spans, winning);
    const busy = proverBusy(spans),
      seconds = stage => spans.filter(s => s.stage === stage).reduce((sum, s) => sum + (s.end_ns - s.start_ns) / 1e9, 0);
    t.diagnostic(
      `prover busy ${(100 * busy).toFixed(2)} %; synthesis ${seconds("synthesis").toFixed(2)} s, proving ${seconds("prove").toFixed(2)} s; ` +
        `at most ${(most / MIB).toFixed(0)} MiB resident of a budget of ${budget / MIB} MiB, of which ${(memory.peak_used_bytes / MIB).toFixed(0)} MiB were taken`,
    );
    if (measuring) {
      assert.ok(busy >= 0.95, `${busy}`);
      assert.ok(most <= 1.02 * budget, `${most}`);
    }
    client.close();
    await daemon.stop();
  });
