/**
 * A release as it is kept: the whole Worker in one minified file, compressed, since nobody reads it.
 * What the tests run is what was frozen, byte for byte, and not what its source would become now.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const NAME = "worker.js.br";

export function folderOf(version: string): string {
  return join(FOLDER, version);
}

/** @returns how many bytes it takes */
export function keepBundle(version: string, script: string): number {
  const packed = brotliCompressSync(script);
  writeFileSync(join(folderOf(version), NAME), packed);
  return packed.length;
}

export function readBundle(version: string): string {
  return brotliDecompressSync(readFileSync(join(folderOf(version), NAME))).toString("utf8");
}
