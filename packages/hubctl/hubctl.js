#!/usr/bin/env node
/*
 * The door to hubctl. It runs on Node.js 20 and says its version before it loads anything; for all else it has the program
 * built where that is missing or outdated, and lets it run here, or on the Node.js of the hub where this one is older.
 */
import { readFileSync } from 'node:fs'

const root = new URL('../../', import.meta.url)
const args = process.argv.slice(2)

if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  process.stdout.write(`${version}\n`)
} else {
  const { runHere } = await import('../../bin/bootstrap/run_here.mjs')
  await runHere('build/bin/hubctl.js', args)
}
