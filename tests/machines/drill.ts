/**
 * Breaks one thing after the other in an installation of several hosts while clients write, send messages, upload and build,
 * and compares afterwards what they were answered with what there is. The options are in docs/testing.md.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'

import { Draw } from '#tests/chaos/draw'
import { testEnvironment } from '#tests/helpers/test_environment'
import { goProgram } from '#tests/services/servers/go_program'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'
import { VERSITYGW } from '#tests/services/servers/versitygw'
import { serversOfDebian } from './debian.js'
import { isInOwnNetwork, runInOwnNetwork } from './own_network.js'

const { values } = parseArgs({
  options: {
    'seed': { type: 'string', default: String(randomInt(1, 2 ** 32)) },
    'rounds': { type: 'string', default: '1' },
    'only': { type: 'string', multiple: true, default: [''] },
    'short': { type: 'boolean', default: false },
    'writers': { type: 'string', default: '8' },
    'messages': { type: 'string', default: '20' },
    'results': { type: 'string' },
    'continue': { type: 'boolean', default: false },
    'write-table': { type: 'boolean', default: false },
  },
})

if (values.continue && !values.results) {
  throw new Error('--continue needs --results, the file with the rounds that it continues')
}
if (isInOwnNetwork()) {
  await drill()
} else {
  await prepare()
  process.exitCode = await runInOwnNetwork()
}

/** Fetches what comes from elsewhere, while there is a network. */
async function prepare(): Promise<void> {
  if (process.getuid?.() !== 0) {
    throw new Error('The drill makes networks and mounts of its own: run it as root')
  }
  await ensurePackages(PACKAGES.namespaces)
  await Promise.all([goProgram(VERSITYGW), serversOfDebian()])
}

async function drill(): Promise<void> {
  testEnvironment()
  const { loadSettings } = await import('#runtime/application')
  await loadSettings()
  const { runDrill } = await import('./run.js')
  console.log(`--seed ${values.seed} repeats the order`)
  await runDrill({
    draw: new Draw(whole('seed')),
    rounds: whole('rounds'),
    only: values.only,
    isShort: values.short,
    writers: whole('writers'),
    messagesPerSecond: whole('messages'),
    results: values.results,
    isContinued: values.continue,
    isTableWritten: values['write-table'],
  })
}

/** A slip of the pen must not become a run of no rounds. */
function whole(name: 'seed' | 'rounds' | 'writers' | 'messages'): number {
  const value = Number(values[name])
  if (!Number.isSafeInteger(value) || value <= 0) {
    throw new RangeError(`--${name} has to be a whole number above 0, and is "${values[name]}"`)
  }
  return value
}
