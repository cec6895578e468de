/*
 * The benches that the figures of the README come from, one after the other; each says what it measures. Takes about ten
 * minutes, and a machine that does nothing else.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const BENCHES = ['query', 'writes', 'storage', 'events', 'messenger']
const BOOTSTRAP = fileURLToPath(new URL('../../bin/bootstrap.mjs', import.meta.url))

for (const name of BENCHES) {
  console.log(`\n==> bench:${name}`)
  const { status } = spawnSync(process.execPath, [BOOTSTRAP, `bench:${name}`], { stdio: 'inherit' })
  process.exitCode ||= status ?? 1
}
