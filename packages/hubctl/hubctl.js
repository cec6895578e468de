#!/usr/bin/env node
/*
 * Starts hubctl. Installed from its package, it runs the packed program. In the repository it runs on Node.js 20,
 * builds the program if needed, and continues on the Node.js of the hub if this one is older.
 */
import { existsSync, readFileSync } from 'node:fs'

const packed = new URL('dist/packages/hubctl/src/main.js', import.meta.url)
const args = process.argv.slice(2)

if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))
  process.stdout.write(`${version}\n`)
} else if (existsSync(new URL('../../bin/bootstrap/run_here.mjs', import.meta.url))) {
  const { runHere } = await import('../../bin/bootstrap/run_here.mjs')
  await runHere('build/bin/hubctl.js', args)
} else {
  const { main } = await import(packed)
  await main(args)
}
