"use strict";
// The page around the picture: time, camera, names, and in a live view the sliders.

const read = (id) => JSON.parse(document.getElementById(id).textContent);
const at = (id) => document.getElementById(id);

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

// Cut one array of numbers after another from the data; each starts at a multiple of four bytes.
function reader(data) {
  let place = 0;
  return (kind, count) => {
    const found = new kind(data, place, count);
    place += Math.ceil((count * kind.BYTES_PER_ELEMENT) / 4) * 4;
    return found;
  };
}

// Numbers are kept as differences, which compress better: corners from the corner before, entries of faces likewise.
function summed(values, step) {
  for (let k = step; k < values.length; k++) values[k] += values[k - step];
  return values;
}

async function start() {
  const scene = read("scene");
  const take = reader(await unpacked(at("data").textContent));
  const solids = scene.links.map(({ points, faces, low, extent }) => ({
    points: summed(take(Uint16Array, 3 * points), 3), normals: take(Int8Array, 3 * points), colors: take(Uint8Array, 3 * points),
    faces: summed(take(Uint32Array, 3 * faces), 1), low, extent,
  }));
  const count = scene.links.length, keys = scene.keys;
  const times = take(Float32Array, keys);
  const player = { scene, times, poses: take(Float32Array, 7 * count * keys), time: times[0] || 0, playing: false, models: [] };
  const canvas = at("canvas"), draw = makeRenderer(canvas, scene, solids);
  if (!draw) { at("message").textContent = "This browser has no WebGL 2, which the picture needs."; return; }

  // Where the links are at a time, between the two keys around it: positions and quaternions, link by link.
  player.between = (t) => {
    let a = 0, b = keys - 1;
    while (b - a > 1) { const m = (a + b) >> 1; if (times[m] <= t) a = m; else b = m; }
    const s = times[b] > times[a] ? Math.min(1, Math.max(0, (t - times[a]) / (times[b] - times[a]))) : 0;
    const found = new Float32Array(7 * count), P = player.poses;
    for (let k = 0; k < count; k++) {
      const i = 7 * (a * count + k), j = 7 * (b * count + k), o = 7 * k;
      let turn = 0;
      for (let m = 3; m < 7; m++) turn += P[i + m] * P[j + m];
      for (let m = 0; m < 7; m++) found[o + m] = (1 - s) * P[i + m] + s * (m > 2 && turn < 0 ? -1 : 1) * P[j + m];
      const n = Math.hypot(found[o + 3], found[o + 4], found[o + 5], found[o + 6]);
      for (let m = 3; m < 7; m++) found[o + m] /= n;
    }
    return found;
  };
  // The matrix of a pose, by columns.
  const matrix = ([px, py, pz, x, y, z, w]) => new Float32Array([
    1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0,
    2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,
    2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0, px, py, pz, 1]);
  const U = scene.up, upright = new Float32Array([U[0][0], U[1][0], U[2][0], 0, U[0][1], U[1][1], U[2][1], 0, U[0][2], U[1][2], U[2][2], 0, 0, 0, 0, 1]);

  const camera = makeCamera(canvas, scene, () => render());
  player.camera = camera;
  const labels = scene.links.map(({ name }) => {
    const label = document.createElement("span");
    label.textContent = name;
    at("names").append(label);
    return label;
  });
  let waiting = false;
  const render = () => { if (!waiting) { waiting = true; requestAnimationFrame(paint); } };
  const paint = () => {
    waiting = false;
    const now = player.shown || player.between(player.time);
    player.models = scene.links.map((_, k) => matrix(now.subarray(7 * k, 7 * k + 7)));
    const placed = player.models.map((model) => product(upright, model));
    const shift = [0, 0, 0];
    if (scene.follow >= 0) for (let m = 0; m < 3; m++) shift[m] = placed[scene.follow][12 + m] - scene.start[m];
    const view = draw(placed, camera.placed(shift), shift, at("frames").checked);
    at("names").hidden = !at("named").checked;
    if (at("named").checked) labels.forEach((label, k) => {
      const p = placed[k], q = [0, 1, 3].map((i) => view[i] * p[12] + view[4 + i] * p[13] + view[8 + i] * p[14] + view[12 + i]);
      label.style.transform = `translate(${(0.5 + (0.5 * q[0]) / q[2]) * canvas.clientWidth}px, ${(0.5 - (0.5 * q[1]) / q[2]) * canvas.clientHeight}px)`;
    });
    player.painted = (player.painted || 0) + 1;
  };
  player.render = render;
  // Matrices of all links as they are shown, row by row, in the base frame.
  player.matrices = () => player.models.map((m) => [0, 1, 2, 3].map((i) => [m[i], m[4 + i], m[8 + i], m[12 + i]]));
  window.tauforge = player;
  new ResizeObserver(render).observe(canvas);
  for (const id of ["frames", "named"]) at(id).addEventListener("change", render);
  at("reset").addEventListener("click", () => { camera.reset(); render(); });
  if (keys > 1) makeTimeline(player);
  if (scene.live) makeSliders(player);
  render();
}

// Turn with the left button or one finger, move with another button or shift, zoom with the wheel or two fingers.
function makeCamera(canvas, scene, changed) {
  const camera = {};
  camera.reset = () => {
    const e = scene.eye;
    Object.assign(camera, { turn: Math.atan2(e[1], e[0]), rise: Math.asin(e[2]), zoom: 1, pan: [0, 0, 0] });
  };
  camera.reset();
  const direction = () => [Math.cos(camera.rise) * Math.cos(camera.turn), Math.cos(camera.rise) * Math.sin(camera.turn), Math.sin(camera.rise)];
  camera.placed = (shift) => {
    const height = Math.max(1, canvas.clientHeight), covered = at("timeline").offsetHeight + 12, free = Math.max(0.5, 1 - covered / height);
    const narrow = Math.min(free, canvas.clientWidth / height);
    camera.distance = (camera.zoom * scene.radius * scene.margin) / Math.sin(scene.lens / 2) / Math.max(narrow, 0.2);
    const z = direction(), up = cross(z, unit(cross([0, 0, 1], z))); // the robot is in the middle of what the timeline leaves free
    const target = add(add(add(scene.centre, shift), camera.pan), up, -(1 - free) * camera.distance * Math.tan(scene.lens / 2));
    return { target, eye: add(target, direction(), camera.distance), distance: camera.distance };
  };
  const pointers = new Map();
  let gap = 0;
  canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); pointers.set(e.pointerId, e); gap = 0; });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (e) => pointers.delete(e.pointerId));
  canvas.addEventListener("pointermove", (e) => {
    const before = pointers.get(e.pointerId);
    if (!before) return;
    const [x, y] = [e.clientX - before.clientX, e.clientY - before.clientY];
    pointers.set(e.pointerId, e);
    if (pointers.size > 1) {
      const [a, b] = [...pointers.values()], now = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
      if (gap) camera.zoom = Math.min(20, Math.max(0.05, (camera.zoom * gap) / now));
      gap = now;
    } else if (e.buttons & 6 || e.shiftKey) {
      const z = direction(), right = unit(cross([0, 0, 1], z)), up = cross(z, right);
      const s = (2 * camera.distance * Math.tan(scene.lens / 2)) / canvas.clientHeight;
      camera.pan = add(add(camera.pan, right, -s * x), up, s * y);
    } else {
      camera.turn -= 0.008 * x;
      camera.rise = Math.min(1.55, Math.max(-1.2, camera.rise + 0.008 * y));
    }
    changed();
  });
  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    camera.zoom = Math.min(20, Math.max(0.05, camera.zoom * Math.exp(0.0012 * e.deltaY)));
    changed();
  }, { passive: false });
  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  return camera;
}

// Play, pause, speed, loop, and a bar to choose the time, with marks where something happened.
function makeTimeline(player) {
  const { times, scene } = player, first = times[0], last = times[times.length - 1], bar = at("bar");
  at("timeline").hidden = false;
  const set = (t) => {
    player.shown = null;
    player.time = Math.min(last, Math.max(first, t));
    bar.value = ((player.time - first) / (last - first || 1)) * 1000;
    at("now").textContent = `${player.time.toFixed(2)} / ${last.toFixed(2)} s`;
    player.render();
  };
  let before = null;
  const step = (now) => {
    if (!player.playing) { before = null; return; }
    if (before !== null) {
      let t = player.time + ((now - before) / 1000) * Number(at("speed").value);
      if (t > last) { if (at("loop").checked) t = first; else play(false); }
      set(t);
    }
    before = now;
    requestAnimationFrame(step);
  };
  const play = (on) => {
    if (player.playing === on) return;
    player.playing = on;
    at("play").dataset.playing = on;
    at("play").title = on ? "Pause (space)" : "Play (space)";
    if (on) { if (player.time >= last) set(first); requestAnimationFrame(step); }
  };
  Object.assign(player, { play, seek: (t) => { play(false); set(t); } });
  at("play").addEventListener("click", () => play(!player.playing));
  bar.addEventListener("input", () => player.seek(first + (bar.value / 1000) * (last - first)));
  document.addEventListener("keydown", (e) => {
    if (e.target.matches("input:not([type=range]), select, button")) return;
    const key = { " ": () => play(!player.playing), ArrowRight: () => player.seek(player.time + 0.02 * (last - first)), ArrowLeft: () => player.seek(player.time - 0.02 * (last - first)) }[e.key];
    if (key) { e.preventDefault(); key(); }
  });
  for (const [name, t] of scene.events) {
    const mark = document.createElement("i");
    mark.title = `${name}: ${t.toFixed(3)} s`;
    mark.style.left = `${(100 * (t - first)) / (last - first || 1)}%`;
    at("marks").append(mark);
  }
  set(first);
  play(!scene.live && !matchMedia("(prefers-reduced-motion: reduce)").matches);
}

// Joints to move by hand: the server closes the loops and says where the links are.
function makeSliders(player) {
  const panel = at("sliders"), { scene } = player, inputs = [];
  at("panel").hidden = false;
  const values = () => inputs.map(({ range }) => Number(range.value));
  const show = (state) => {
    player.shown = Float32Array.from(state.poses);
    state.values.forEach((x, k) => write(k, x));
    player.version = state.version;
    at("message").textContent = "";
    player.render();
  };
  const write = (k, x) => {
    const { range, text } = inputs[k];
    if (document.activeElement !== range || !sending) range.value = x;
    text.textContent = x.toFixed(3);
  };
  let sending = false, again = false;
  const send = async () => {
    if (sending) { again = true; return; }
    sending = true;
    if (player.play) player.play(false);
    try {
      const answer = await fetch("pose", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ values: values() }) });
      const state = await answer.json();
      sending = false;
      show(state);
      if (state.error) at("message").textContent = state.error;
    } catch { at("message").textContent = "The program that showed this robot has ended."; }
    sending = false;
    if (again) { again = false; send(); }
  };
  scene.live.sliders.forEach(({ name, low, high, unit: unitName }) => {
    const row = document.createElement("label"), title = document.createElement("b"), text = document.createElement("output");
    const range = Object.assign(document.createElement("input"), { type: "range", min: low, max: high, step: (high - low) / 1000 });
    title.textContent = name;
    title.title = `${low.toFixed(3)} … ${high.toFixed(3)} ${unitName}`;
    range.addEventListener("input", send);
    row.append(title, text, range);
    panel.append(row);
    inputs.push({ range, text });
  });
  // Wait for what Python shows.
  const listen = async () => {
    for (;;) {
      try {
        const state = await (await fetch(`state?after=${player.version}`)).json();
        if (state.version > player.version && !sending) show(state);
      } catch { at("message").textContent = "The program that showed this robot has ended."; return; }
    }
  };
  show(scene.live.state);
  if (player.seek) player.shown = null;
  listen();
}

start();
