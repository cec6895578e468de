import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const NEEDED_MAJOR = 24

if (Number(process.versions.node.split('.')[0]) < NEEDED_MAJOR) {
  runOnOwnNode()
}

await import('./bin/bootstrap/typescript.mjs')
await import('./bin/console.js')

function runOnOwnNode() {
  const node = fileURLToPath(new URL('./node_modules/.bin/node', import.meta.url))
  if (!existsSync(node)) {
    console.error(
      `Node ${NEEDED_MAJOR} is needed (this is ${process.version}): run "npm start" once, it brings one.`
    )
    process.exit(1)
  }
  const { status } = spawnSync(node, process.argv.slice(1), { stdio: 'inherit' })
  process.exit(status ?? 1)
}
