// The status page: /status, /timeline, /metrics and the dashboard, the last in a real browser.
import test from "node:test";
import { execFile } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import zlib from "node:zlib";
import { promisify } from "node:util";
import { KINDS, ask, assert, request, scratch, sleep, start, until } from "./daemon.mjs";

const run = promisify(execFile);

// Prometheus' text format 0.0.4 by its grammar; returns {family: {type, help, samples: [{name, labels, value}]}}.
function parseMetrics(text) {
  assert.ok(text.endsWith("\n"));
  const families = new Map();
  const family = name => families.get(name) || families.get(name.replace(/_(bucket|sum|count)$/, ""));
  const seen = new Set();
  for (const line of text.slice(0, -1).split("\n")) {
    const help = line.match(/^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/);
    const type = line.match(/^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)$/);
    if (help) {
      assert.ok(!families.has(help[1]), `${help[1]} is described twice`);
      families.set(help[1], { help: help[2], type: null, samples: [] });
    } else if (type) {
      families.get(type[1]).type = type[2];
    } else {
      const sample = line.match(/^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/);
      assert.ok(sample, `not a sample: ${line}`);
      const labels = {};
      let rest = sample[2] || "";
      while (rest) {
        const label = rest.match(/^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/);
        assert.ok(label, `not a label: ${line}`);
        labels[label[1]] = label[2];
        rest = rest.slice(label[0].length);
      }
      const key = sample[1] + JSON.stringify(labels);
      assert.ok(!seen.has(key), `twice: ${line}`);
      seen.add(key);
      const value = sample[3] === "+Inf" ? Infinity : Number(sample[3]);
      assert.ok(!Number.isNaN(value), line);
      assert.ok(family(sample[1]), `no family for ${line}`);
      family(sample[1]).samples.push({ name: sample[1], labels, value });
    }
  }
  for (const [name, f] of families) {
    assert.ok(f.type, `${name} has no type`);
    if (f.type === "counter") for (const s of f.samples) assert.ok(s.value >= 0);
    if (f.type === "histogram") checkHistogram(name, f.samples);
  }
  return families;
}

function checkHistogram(name, samples) {
  const groups = new Map();
  for (const s of samples) {
    const { le, ...labels } = s.labels;
    const key = JSON.stringify(labels);
    if (!groups.has(key)) groups.set(key, { buckets: [] });
    const group = groups.get(key);
    if (s.name === name + "_bucket") group.buckets.push([le === "+Inf" ? Infinity : Number(le), s.value]);
    else group[s.name.slice(name.length + 1)] = s.value;
  }
  for (const group of groups.values()) {
    assert.ok(group.buckets.length > 2 && group.buckets.at(-1)[0] === Infinity);
    for (let i = 1; i < group.buckets.length; i++)
      assert.ok(group.buckets[i][0] > group.buckets[i - 1][0] && group.buckets[i][1] >= group.buckets[i - 1][1]);
    assert.equal(group.buckets.at(-1)[1], group.count);
    assert.ok(group.sum >= 0);
  }
}

test("/metrics and GetMetrics", async () => {
  const daemon = await start();
  const client = daemon.client();
  for (const kind of KINDS) await ask(client, "Prove", { submit: request(kind, "partitions=2") });
  await ask(client, "Prove", { submit: request("WINNING_POST", "fail_prove=2") });
  await ask(client, "Prove", { submit: { ...request("WINNING_POST"), randomness: Buffer.alloc(3) } }).catch(() => {});
  const reply = await fetch(daemon.page + "/metrics");
  assert.equal(reply.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  const families = parseMetrics(await reply.text());
  const value = (name, labels = {}) =>
    families.get(name).samples.find(s => Object.entries(labels).every(([k, v]) => s.labels[k] === v)).value;
  assert.equal(value("cuzk_proofs_completed_total"), 4);
  assert.equal(value("cuzk_proofs_failed_total"), 1);
  assert.equal(value("cuzk_proofs_completed", { proof_kind: "porep_c2" }), 1);
  assert.equal(value("cuzk_partition_retries_total"), 1);
  assert.equal(value("cuzk_rpc_calls_total", { method: "/cuzk.v1.ProvingEngine/Prove", code: "OK" }), 5);
  assert.equal(value("cuzk_rpc_calls_total", { method: "/cuzk.v1.ProvingEngine/Prove", code: "INVALID_ARGUMENT" }), 1);
  assert.ok(value("cuzk_memory_budget_bytes") === 2 ** 31);
  parseMetrics((await ask(client, "GetMetrics", {})).prometheus_text);
  client.close();
  await daemon.stop();
});

test("/status has the fields that existing scripts read", async () => {
  const daemon = await start();
  const client = daemon.client();
  await ask(client, "Prove", { submit: request("WINNING_POST") });
  const jobs = [];
  for (let i = 0; i < 3; i++)
    jobs.push(
      (await ask(client, "SubmitProof", request("POREP_SEAL_COMMIT", "partitions=4 synthesis_ms=200 prove_ms=3600000"))).job_id,
    );
  await until(async () => (await daemon.status()).gpu_workers[0].state === "proving", "it proves");
  const s = await daemon.status();
  assert.ok(
    s.uptime_secs > 0 &&
      s.memory.total_bytes === 2 ** 31 &&
      s.memory.used_bytes + s.memory.available_bytes <= s.memory.total_bytes,
  );
  assert.ok(s.synthesis.max_concurrent >= 1 && s.synthesis.active >= 0);
  const pipeline = s.pipelines.find(p => p.job_id === jobs[0]);
  assert.deepEqual(
    [pipeline.proof_kind, pipeline.total_partitions, pipeline.partitions_done, pipeline.partitions.length],
    ["porep-c2", 4, 0, 4],
  );
  assert.ok(pipeline.started_secs_ago > 0);
  const gpu = pipeline.partitions.find(p => p.state === "gpu");
  assert.ok(gpu.synth_ms >= 200 && gpu.gpu_ms >= 0);
  const pending = pipeline.partitions.find(p => p.state === "pending");
  assert.deepEqual([pending.synth_ms, pending.gpu_ms], [null, null]);
  const [worker] = s.gpu_workers;
  assert.deepEqual([worker.worker_id, worker.gpu_ordinal, worker.current_job], [0, 0, jobs[0]]);
  assert.ok(typeof worker.current_partition === "number" && worker.busy_secs >= 0);
  const srs = s.allocations.srs.find(a => a.circuit_id === "porep-2k");
  assert.ok(srs.bytes > 0 && srs.last_used_secs_ago === 0 && srs.evictable === false);
  assert.equal(s.counters.total_completed, 1);
  assert.equal(s.counters.completed_by_kind["winning-post"], 1);
  assert.deepEqual(
    [s.counters.total_failed, s.counters.failed_by_kind["porep-c2"], s.counters.queue_depth],
    [0, 0, s.queue.length],
  );
  assert.deepEqual(
    s.queue.map(j => j.job_id),
    jobs.slice(3 - s.queue.length),
  );
  assert.equal(s.history[0].state, "completed");

  const timeline = await (await fetch(daemon.page + "/timeline")).json();
  assert.ok(timeline.spans.some(x => x.stage === "prove" && x.running && x.job_id === jobs[0]));
  assert.ok(timeline.spans.every((x, i) => i === 0 || x.sequence > timeline.spans[i - 1].sequence));
  const later = await (await fetch(`${daemon.page}/timeline?after=${timeline.spans.at(-1).sequence}`)).json();
  assert.ok(later.spans.every(x => x.sequence > timeline.spans.at(-1).sequence));
  client.close();
  await daemon.kill();
});

// One request as raw bytes, answered by the first line.
function rawHttp(daemon, text) {
  return new Promise((resolve, reject) => {
    const [host, port] = daemon.page.slice(7).split(":");
    const socket = net.connect(Number(port), host, () => socket.write(text));
    let reply = "";
    socket
      .on("data", d => {
        reply += d;
      })
      .on("error", reject)
      .on("close", () => resolve(reply.split("\r\n")[0]));
    setTimeout(() => socket.end(), 500);
  });
}

test("HTTP: methods, unknown paths, headers, garbage", async () => {
  const daemon = await start();
  for (const path of ["/x", "/status/", "/../etc/passwd", "/status%20"])
    assert.equal((await fetch(daemon.page + path)).status, 404, path);
  for (const method of ["POST", "PUT", "DELETE"]) {
    const reply = await fetch(daemon.page + "/status", { method, body: method === "DELETE" ? undefined : "x".repeat(100000) });
    assert.equal(reply.status, 405);
    assert.equal(reply.headers.get("allow"), "GET, HEAD");
  }
  const head = await fetch(daemon.page + "/", { method: "HEAD" });
  assert.equal(head.status, 200);
  assert.equal(await head.text(), "");
  const page = await fetch(daemon.page + "/");
  assert.match(page.headers.get("content-security-policy"), /default-src 'none'/);
  assert.equal(page.headers.get("x-content-type-options"), "nosniff");
  assert.doesNotMatch(await page.text(), /(src|href)\s*=\s*["']?(https?:)?\/\//); // self-contained
  for (const after of ["-1", "x", "99999999999999999999999", ""])
    assert.equal((await fetch(`${daemon.page}/timeline?after=${after}`)).status, 200);
  for (const garbage of [
    "\0\0\0\0\r\n\r\n",
    "GET / HTTP/9.9\r\n\r\n",
    `GET /${"a".repeat(70000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    "GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
  ])
    await rawHttp(daemon, garbage);
  assert.equal((await fetch(daemon.page + "/healthz")).status, 200);
  await daemon.stop();
});

const browser = ["chromium", "chromium-browser", "google-chrome"].find(name =>
  (process.env.PATH || "").split(":").some(d => fs.existsSync(`${d}/${name}`)),
);
async function chromium(...args) {
  const { stdout } = await run(
    browser,
    [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      `--user-data-dir=${scratch("cuzk-browser-")}`,
      "--virtual-time-budget=4000",
      "--window-size=1280,1500",
      ...args,
    ],
    { maxBuffer: 64 << 20, timeout: 400000 },
  );
  return stdout;
}

// The mean brightness, 0 to 255, of a PNG of 8 bits without interlacing, as browsers write them.
function brightness(file) {
  const png = fs.readFileSync(file);
  const width = png.readUInt32BE(16),
    channels = { 2: 3, 6: 4 }[png[25]],
    row = width * channels;
  assert.ok(channels && png[24] === 8 && png[28] === 0);
  const parts = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const bytes = zlib.inflateSync(Buffer.concat(parts));
  let sum = 0,
    above = Buffer.alloc(row);
  for (let at = 0; at < bytes.length; at += row + 1) {
    const line = bytes.subarray(at + 1, at + 1 + row);
    for (let i = 0; i < row; i++) {
      const a = i < channels ? 0 : line[i - channels],
        b = above[i],
        c = i < channels ? 0 : above[i - channels];
      const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
      line[i] += [0, a, b, (a + b) >> 1, pa <= pb && pa <= pc ? a : pb <= pc ? b : c][bytes[at]];
      if (i % channels < 3) sum += line[i];
    }
    above = line;
  }
  return sum / ((bytes.length / (row + 1)) * width * 3);
}

test("the dashboard in a browser, dark and light", { skip: browser || process.env.CUZK_REQUIRE_EVERYTHING ? false : "no Chromium here" }, async () => {
  const daemon = await start({ env: { FAKE_ABSENT: "porep-8m" } });
  const client = daemon.client();
  const hostile = "<img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>";
  for (const kind of KINDS)
    await ask(client, "Prove", {
      submit: request(kind, "partitions=3 synthesis_ms=120 prove_ms=150", {
        request_id: kind === "WINNING_POST" ? hostile : `job ${kind}`,
      }),
    });
  await ask(client, "Prove", { submit: request("POREP_SEAL_COMMIT", "fail_prove=2", { request_id: "porep-1001-17" }) });
  await ask(
    client,
    "SubmitProof",
    request("POREP_SEAL_COMMIT", "partitions=10 synthesis_ms=100 prove_ms=200 stuck_at=5 assignment=300000000 proving=100000000", {
      request_id: "porep-1001-16",
    }),
  );
  for (let i = 0; i < 3; i++)
    await ask(
      client,
      "SubmitProof",
      request("WINDOW_POST_PARTITION", "prove_ms=3600000", { request_id: `wdpost-1000-${i}-[1 2 3]`, priority: "LOW" }),
    );
  await until(async () => (await daemon.status()).pipelines.some(p => p.partitions_done === 5), "half of its partitions are done");
  const dom = await chromium("--dump-dom", daemon.page + "/");
  assert.match(dom, /<title>cuzk<\/title>/);
  assert.match(dom, /data-refreshed="yes"/);
  assert.doesNotMatch(dom.slice(dom.indexOf("<main>"), dom.indexOf("</main>")), /<img|<script/);
  assert.match(dom, /data-stage="prove"/);
  assert.match(dom, /data-stage="synthesis"/);
  for (const text of [
    "porep-1001-16",
    "wdpost-1000-1-[1 2 3]",
    "CRITICAL",
    "proving failed by script",
    "Without parameters: porep-8m",
    "assignments",
    "winning-2k",
  ])
    assert.ok(dom.includes(text), text);
  assert.equal((dom.match(/class="part [a-z_]+"/g) || []).length >= 10, true);
  const shots = process.env.CUZK_SCREENSHOTS || scratch();
  await chromium(`--screenshot=${shots}/light.png`, daemon.page + "/");
  await chromium(`--screenshot=${shots}/dark.png`, "--blink-settings=preferredColorScheme=0", daemon.page + "/");
  for (const name of ["light", "dark"]) assert.ok(fs.statSync(`${shots}/${name}.png`).size > 20000);
  assert.ok(brightness(`${shots}/light.png`) > 180, "light is light");
  assert.ok(brightness(`${shots}/dark.png`) < 75, "dark is dark");
  client.close();
  await daemon.kill();
});
