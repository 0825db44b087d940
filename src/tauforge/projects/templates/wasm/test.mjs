// node test.mjs
import fs from "fs";
import { difference, speed } from "./numbers.mjs";

const bytes = fs.readFileSync(new URL("./@name@.wasm", import.meta.url));
const worst = await difference(bytes);
console.log(`@name@: worst relative difference ${worst}, ${(await speed(bytes)).toFixed(1)} ns per state`);
process.exit(worst <= 1e-12 ? 0 : 1);
