/*
 * Starts the programs of the hub from a fresh clone: installs and builds what is missing or outdated, finds the
 * required Node.js, and starts the program. Runs on Node.js 20 without dependencies.
 */
import { fileURLToPath } from 'node:url'
import { SERVER_FLAGS } from './bootstrap/engine.mjs'
import { Failure, report } from './bootstrap/failure.mjs'
import { findInstalledNode, findNode } from './bootstrap/node.mjs'
import { prepare } from './bootstrap/prepare.mjs'
import { outliveHangups, programEnvironment, runToEnd } from './bootstrap/processes.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

const commands = {
  'start': { built: true, program: 'build/bin/server.js', flags: SERVER_FLAGS },
  'pool': { built: true, program: 'build/bin/pool.js', flags: SERVER_FLAGS, reloads: true },
  'hubctl': { built: true, program: 'build/bin/hubctl.js' },
  'db:url': { built: true, program: 'build/bin/db_url.js' },
  'build': { built: true },
  // Another Node.js would compress to other bytes.
  'image': { built: true, program: 'build/bin/image.js', installedNode: true },
  'package:deb': { built: true, program: 'build/bin/deb.js', installedNode: true },
  'test': { built: false, program: 'bin/test.ts' },
  'test:watch': {
    built: false,
    program: 'bin/test.ts',
    flags: ['--watch-path=app', '--watch-path=tests', '--watch-path=start'],
    otherwise: ['unit'],
  },
  'test:services': { built: true, program: 'bin/test.ts', args: ['services'] },
  'bench': { built: true, program: 'tests/bench/all.ts' },
  'bench:query': { built: true, program: 'tests/bench/query.ts' },
  'bench:totals': { built: true, program: 'tests/bench/totals.ts' },
  'bench:trail': { built: false, program: 'tests/bench/trail.ts' },
  'bench:logs': { built: true, program: 'tests/bench/logs.ts' },
  'bench:wakeup': { built: false, program: 'tests/bench/wakeup.ts' },
  'bench:events': { built: false, program: 'tests/bench/events.ts' },
  'bench:event-posts': { built: true, program: 'tests/bench/event_posts.ts' },
  'bench:event-reads': { built: false, program: 'tests/bench/event_reads.ts' },
  'bench:event-sweep': { built: false, program: 'tests/bench/event_sweep.ts' },
  'bench:relay': { built: false, program: 'tests/bench/relay.ts' },
  'bench:nodes': { built: true, program: 'tests/bench/nodes.ts' },
  'bench:writes': { built: true, program: 'tests/bench/writes.ts' },
  'bench:whole-writes': { built: true, program: 'tests/bench/whole_writes.ts' },
  'bench:storage': { built: true, program: 'tests/bench/storage.ts' },
  'soak:storage': { built: true, program: 'tests/soak/storage.ts' },
  'fixtures:former': { built: false, program: 'tests/former/make.ts' },
  'soak:adopt': { built: true, program: 'tests/soak/adopt.ts' },
  'soak:backup': { built: true, program: 'tests/soak/backup.ts' },
  'soak:worker': { built: true, program: 'tests/soak/worker.ts' },
  'soak:node': { built: true, program: 'tests/soak/node.ts' },
  'drill': { built: true, program: 'tests/machines/drill.ts' },
  'drill:upgrade': { built: true, program: 'tests/drills/upgrade.ts' },
  'drill:compose': { built: true, program: 'tests/drills/compose.ts' },
  'drill:cluster': { built: false, program: 'tests/drills/cluster.ts' },
  'chaos': { built: true, program: 'tests/chaos/run.ts' },
  'chaos:messenger': { built: true, program: 'tests/chaos/messenger/run.ts' },
  'bench:messenger': { built: true, program: 'tests/bench/messenger.ts' },
  'bench:tracing': { built: true, program: 'tests/bench/tracing.ts' },
  'bench:console': { built: false, program: 'tests/bench/console.ts' },
  'bench:growth': { built: true, program: 'tests/bench/growth.ts' },
  'bench:token': { built: false, program: 'tests/bench/token.ts' },
  'docs:generate': { built: false, program: 'bin/generate_docs.ts' },
  'check:interface': { built: false, program: 'tests/acceptance/check_interface.ts' },
}

async function main([name, ...args]) {
  const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined
  if (!command) {
    throw new Failure(
      `"${name ?? ''}" is not a command: use one of ${Object.keys(commands).join(', ')}.`
    )
  }
  if (command.reloads) {
    outliveHangups()
  }
  await prepare(root, command)
  return command.program ? runProgram(command, args) : 0
}

function runProgram(command, args) {
  const { program, flags = [], args: fixed = [], otherwise = [], installedNode } = command
  const loader = program.endsWith('.ts')
    ? [`--import=${import.meta.resolve('./bootstrap/typescript.mjs')}`]
    : []
  const file = fileURLToPath(new URL(`../${program}`, import.meta.url))
  const given = args.length > 0 ? args : otherwise
  const node = installedNode ? findInstalledNode(root) : findNode(root)
  return runToEnd(node, [...flags, ...loader, file, ...fixed, ...given], {
    env: programEnvironment(root),
  })
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof Failure)) {
    throw error
  }
  report(error.message)
  process.exitCode = error.exitCode
}
