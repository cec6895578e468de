import { fileURLToPath } from 'node:url'
import { Failure, report } from './bin/bootstrap/failure.mjs'
import { findNode } from './bin/bootstrap/node.mjs'
import { handOver } from './bin/bootstrap/run_here.mjs'

try {
  const node = findNode(fileURLToPath(new URL('.', import.meta.url)))
  if (node === process.execPath) {
    await import('./bin/bootstrap/typescript.mjs')
    await import('./bin/console.js')
  } else {
    await handOver(node, process.argv.slice(1))
  }
} catch (error) {
  if (!(error instanceof Failure)) {
    throw error
  }
  report(error.message)
  process.exitCode = error.exitCode
}
