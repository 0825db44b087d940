// Compare the function with numbers that Tauforge's compiled function gave; return the largest relative difference.
import { load } from "./@name@.mjs";

export const NUMBERS = @numbers@;

export async function difference(bytes) {
    const { inputs, outputs, evaluate } = await load(bytes, NUMBERS.states);
    for (const [name, values] of Object.entries(NUMBERS.given)) inputs[name].set(values);
    evaluate(NUMBERS.states);
    let worst = 0;
    for (const [name, wanted] of Object.entries(NUMBERS.wanted)) {
        const scale = Math.max(...wanted.map(Math.abs), 1e-300);
        wanted.forEach((x, i) => { worst = Math.max(worst, Math.abs(outputs[name][i] - x)/scale); });
    }
    return worst;
}

// Return nanoseconds per state, at best.
export async function speed(bytes, states = 1000) {
    const { inputs, evaluate } = await load(bytes, states);
    for (const values of Object.values(inputs)) values.forEach((_, i) => { values[i] = Math.sin(1 + i); });
    let best = Infinity;
    for (let turn = 0; turn < 40; turn++) {
        const start = performance.now();
        for (let k = 0; k < 20; k++) evaluate(states);
        best = Math.min(best, performance.now() - start);
    }
    return 1e6*best/20/states;
}
