"use strict";
// Draws the scene with WebGL 2: links with soft shadows, the floor with its grid, and the frames of the links.
// Everything here is in the frame of the picture, whose z points upward; matrices are stored by columns.

const HEAD = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
`;
const LIGHT = `
uniform vec3 light, eye;
uniform mat4 shadowView;
uniform float reach;
uniform sampler2DShadow shadowMap;
float lit(vec3 p, vec3 n) {
  vec3 s = (shadowView * vec4(p + n * reach * 0.004, 1.0)).xyz * 0.5 + 0.5;
  if (any(lessThan(s, vec3(0.0))) || any(greaterThan(s, vec3(1.0)))) return 1.0;
  float sum = 0.0;
  for (int i = -2; i <= 2; i++) for (int j = -2; j <= 2; j++)
    sum += texture(shadowMap, vec3(s.xy + vec2(i, j) / 1400.0, s.z - 0.0015));
  return sum / 25.0;
}
`;
const SHADERS = {
  link: [`
in vec3 point, normal; in vec3 color;
uniform mat4 model, view;
uniform vec3 low, extent;
out vec3 p, n, c;
void main() {
  vec4 world = model * vec4(low + extent * point, 1.0);
  p = world.xyz; n = mat3(model) * normal; c = color;
  gl_Position = view * world;
}`, LIGHT + `
in vec3 p, n, c; out vec4 color;
void main() {
  vec3 N = normalize(n), V = normalize(eye - p);
  if (dot(N, V) < 0.0) N = -N;
  vec3 base = pow(c, vec3(2.2));
  float direct = max(dot(N, light), 0.0) * lit(p, N);
  vec3 ambient = mix(vec3(0.24, 0.235, 0.23), vec3(0.42, 0.44, 0.47), 0.5 + 0.5 * N.z);
  float shine = pow(max(dot(N, normalize(light + V)), 0.0), 40.0) * 0.12 * step(0.001, direct);
  float rim = pow(1.0 - max(dot(N, V), 0.0), 4.0) * 0.06;
  color = vec4(pow(base * (ambient + 0.60 * direct) + shine + rim, vec3(1.0 / 2.2)), 1.0);
}`],
  depth: [`
in vec3 point; uniform mat4 model, view; uniform vec3 low, extent;
void main() { gl_Position = view * model * vec4(low + extent * point, 1.0); }`, `
void main() {}`],
  floor: [`
in vec2 corner; uniform mat4 view; uniform vec3 middle; uniform float far;
out vec3 p;
void main() { p = middle + vec3(corner * far, 0.0); gl_Position = view * vec4(p, 1.0); }`, LIGHT + `
in vec3 p; out vec4 color;
uniform vec3 middle; uniform float far, step0;
float grid(vec2 x, float width) {
  vec2 w = fwidth(x);
  vec2 line = smoothstep(w * (width + 0.7), w * max(width - 0.7, 0.0), abs(fract(x - 0.5) - 0.5));
  return max(line.x, line.y) * (1.0 - smoothstep(0.15, 0.5, max(w.x, w.y)));
}
void main() {
  float fade = 1.0 - smoothstep(0.25, 1.0, length(p - middle) / far);
  float line = max(0.16 * grid(p.xy / step0, 0.6), 0.30 * grid(p.xy / (5.0 * step0), 0.8));
  float dark = 0.34 * (1.0 - lit(p, vec3(0.0, 0.0, 1.0)));
  float a = 1.0 - (1.0 - line * fade) * (1.0 - dark * min(1.0, 2.0 * fade));
  color = vec4(vec3(0.20, 0.26, 0.33) * a, a);
}`],
  sky: [`
in vec2 corner; out float h;
void main() { h = corner.y; gl_Position = vec4(corner, 0.0, 1.0); }`, `
in float h; out vec4 color;
void main() { color = vec4(mix(vec3(0.86, 0.89, 0.92), vec3(0.97, 0.98, 0.99), smoothstep(-1.0, 0.8, h)), 1.0); }`],
  axes: [`
in vec4 point; uniform mat4 model, view; uniform float length0;
out vec3 c;
void main() {
  int axis = int(point.w);
  c = axis == 0 ? vec3(0.86, 0.15, 0.15) : axis == 1 ? vec3(0.12, 0.62, 0.20) : vec3(0.13, 0.33, 0.90);
  gl_Position = view * model * vec4(point.xyz * length0, 1.0);
  gl_Position.z -= 0.02 * gl_Position.w;
}`, `
in vec3 c; out vec4 color;
void main() { color = vec4(c, 1.0); }`],
};

const sub = (a, b) => a.map((x, i) => x - b[i]);
const add = (a, b, s = 1) => a.map((x, i) => x + s * b[i]);
const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => { const n = Math.hypot(...a) || 1; return a.map((x) => x / n); };
const product = (a, b) => {
  const c = new Float32Array(16);
  for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) for (let k = 0; k < 4; k++) c[4 * j + i] += a[4 * k + i] * b[4 * j + k];
  return c;
};
const lookAt = (eye, target, up) => {
  const z = unit(sub(eye, target)), x = unit(cross(up, z)), y = cross(z, x);
  return new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1]);
};
const perspective = (angle, aspect, near, far) => {
  const f = 1 / Math.tan(angle / 2);
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0]);
};
const orthographic = (r, near, far) =>
  new Float32Array([1 / r, 0, 0, 0, 0, 1 / r, 0, 0, 0, 0, 2 / (near - far), 0, 0, 0, (far + near) / (near - far), 1]);

function makeRenderer(canvas, scene, solids) {
  const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
  if (!gl) return null;
  const compile = (kind, text) => {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, HEAD + text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    return shader;
  };
  const programs = Object.fromEntries(Object.entries(SHADERS).map(([name, [vertex, fragment]]) => {
    const program = gl.createProgram();
    gl.attachShader(program, compile(gl.VERTEX_SHADER, vertex));
    gl.attachShader(program, compile(gl.FRAGMENT_SHADER, fragment));
    ["point", "normal", "color", "corner"].forEach((key, k) => gl.bindAttribLocation(program, key === "corner" ? 0 : k, key));
    gl.linkProgram(program);
    const places = {};
    for (let k = 0; k < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); k++) {
      const key = gl.getActiveUniform(program, k).name;
      places[key] = gl.getUniformLocation(program, key);
    }
    return [name, { program, places }];
  }));
  const use = (name, values) => {
    const { program, places } = programs[name];
    gl.useProgram(program);
    for (const [key, x] of Object.entries(values)) {
      if (!(key in places)) continue;
      if (x.length === 16) gl.uniformMatrix4fv(places[key], false, x);
      else if (x.length === 3) gl.uniform3fv(places[key], x);
      else gl.uniform1f(places[key], x);
    }
    return (key, x) => (x.length === 16 ? gl.uniformMatrix4fv(places[key], false, x) : gl.uniform3fv(places[key], x));
  };
  const buffer = (data, target = gl.ARRAY_BUFFER) => {
    const made = gl.createBuffer();
    gl.bindBuffer(target, made);
    gl.bufferData(target, data, gl.STATIC_DRAW);
  };
  const array = (attributes, faces) => {
    const vao = gl.createVertexArray();
    gl.bindVertexArray(vao);
    attributes.forEach(([data, size, type, normalised], k) => {
      buffer(data);
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, size, type, normalised, 0, 0);
    });
    if (faces) buffer(faces, gl.ELEMENT_ARRAY_BUFFER);
    return vao;
  };
  const meshes = solids.map((s) => s.faces.length === 0 ? null : {
    vao: array([[s.points, 3, gl.UNSIGNED_SHORT, true], [s.normals, 3, gl.BYTE, true], [s.colors, 3, gl.UNSIGNED_BYTE, true]], s.faces),
    count: s.faces.length, low: s.low, extent: s.extent,
  });
  const square = array([[new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), 2, gl.FLOAT, false]]);
  const axes = makeAxes(array, gl);

  const SHADOW = 2048, map = gl.createTexture(), frame = gl.createFramebuffer();
  gl.bindTexture(gl.TEXTURE_2D, map);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW, SHADOW);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, map, 0);
  gl.drawBuffers([gl.NONE]);

  const light = unit(scene.light);
  const each = (set, models) => meshes.forEach((mesh, k) => {
    if (!mesh) return;
    set("model", models[k]); set("low", mesh.low); set("extent", mesh.extent);
    gl.bindVertexArray(mesh.vao);
    gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0);
  });

  // Draw the links at their poses; return the matrix that maps points to the picture.
  return function draw(models, camera, shift, frames) {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(canvas.clientWidth * ratio)), height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const middle = add(scene.centre, shift), r = scene.radius * 1.05;
    const shadowView = product(orthographic(r, 0.1 * r, 7 * r), lookAt(add(middle, light, 4 * r), middle, [0, 1, 0]));
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.viewport(0, 0, SHADOW, SHADOW);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    each(use("depth", { view: shadowView }), models);

    const far = Math.max(camera.distance, scene.radius) * 12;
    const view = product(perspective(scene.lens, width / height, camera.distance * 0.02, far), lookAt(camera.eye, camera.target, [0, 0, 1]));
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.disable(gl.DEPTH_TEST);
    use("sky", {});
    gl.bindVertexArray(square);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.enable(gl.DEPTH_TEST);
    const common = { view, shadowView, light, eye: camera.eye, reach: r };
    each(use("link", common), models);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    if (camera.eye[2] > scene.floor) {
      const at = [middle[0], middle[1], scene.floor];
      use("floor", { ...common, middle: at, far: 5 * Math.max(scene.radius, 0.6 * camera.distance), step0: scene.grid });
      gl.bindVertexArray(square);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
    if (frames) {
      const set = use("axes", { view, length0: 0.075 * scene.size });
      gl.bindVertexArray(axes.vao);
      for (const model of models) { set("model", model); gl.drawArrays(gl.TRIANGLES, 0, axes.count); }
    }
    return view;
  };
}

// Three thin rods along x, y and z; the fourth entry of each point is the number of its axis.
function makeAxes(array, gl) {
  const points = [], w = 0.045, sides = 8;
  for (let axis = 0; axis < 3; axis++) for (let k = 0; k < sides; k++) {
    const at = (s, z) => {
      const a = (2 * Math.PI * (k + s)) / sides, p = [w * Math.cos(a), w * Math.sin(a), z];
      return [p[(2 + 3 - axis) % 3], p[(3 - axis) % 3], p[(4 - axis) % 3], axis];
    };
    points.push(...at(0, 0), ...at(1, 0), ...at(1, 1), ...at(0, 0), ...at(1, 1), ...at(0, 1));
  }
  return { vao: array([[new Float32Array(points), 4, gl.FLOAT, false]]), count: points.length / 4 };
}
