// @title@, as WebAssembly. Its arrays are in its own memory, states one after another.
const ARRAYS = @arrays@;
const SHARED = @shared@;
const env = {
    tauforge_sin: Math.sin, tauforge_cos: Math.cos, tauforge_asin: Math.asin, tauforge_acos: Math.acos,
    tauforge_atan2: Math.atan2,
};

// Return the function for batches of up to `states`: { inputs, outputs, evaluate(count) }, where inputs and outputs are
// Float64Arrays to fill and to read.
export async function load(bytes, states = 1) {
    const { instance } = await WebAssembly.instantiate(bytes, { env });
    const { memory, __heap_base, "@name@": compute } = instance.exports;
    const size = (name, entries) => 8*entries*(name === SHARED ? 1 : states);
    const all = [...Object.entries(ARRAYS.inputs), ...Object.entries(ARRAYS.outputs)];
    const needed = __heap_base.value + all.reduce((sum, [name, n]) => sum + size(name, n), 16*all.length);
    memory.grow(Math.max(0, Math.ceil((needed - memory.buffer.byteLength)/65536)));
    let next = 16*Math.ceil(__heap_base.value/16);
    const addresses = [], views = { inputs: {}, outputs: {} };
    for (const kind of ["inputs", "outputs"]) {
        for (const [name, n] of Object.entries(ARRAYS[kind])) {
            addresses.push(next);
            views[kind][name] = new Float64Array(memory.buffer, next, size(name, n)/8);
            next += 16*Math.ceil(size(name, n)/16);
        }
    }
    return { ...views, evaluate: count => compute(count, ...addresses) };
}
