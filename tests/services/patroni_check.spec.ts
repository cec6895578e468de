import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { exampleFor } from '#tests/machines/example'

const run = promisify(execFile)
const HOST = 'localhost'
const FAILING = ['starting', 'start failed', 'start failed']
const LEADER = { name: 'db2', role: 'leader', state: 'running' }
const SYNCHRONOUS = { name: 'db3', role: 'sync_standby', state: 'streaming' }
/** How often the standby is looked at after it was copied, until it runs. */
const LOOKS_AT_COPY = 50

interface Cluster {
  /** Of the standby, one after the other and again from the beginning. */
  readonly states?: readonly string[]
  readonly others?: readonly object[]
}

/** Runs the check on the host of a standby, and resolves to how often it asked Patroni to copy it anew. */
async function copiesOf({
  states = FAILING,
  others = [LEADER, SYNCHRONOUS],
}: Cluster): Promise<number> {
  let [looks, looksAtCopy, copies] = [0, 0, 0]
  const answers = {
    '/patroni': () => {
      const isCopied = copies > 0 && ++looksAtCopy > LOOKS_AT_COPY
      return { state: isCopied ? 'running' : states[looks++ % states.length] }
    },
    '/cluster': () => ({
      members: [...others, { name: HOST, role: 'replica', state: 'starting' }],
    }),
    '/reinitialize': () => ({ copies: ++copies }),
  }
  const patroni = createServer(({ url }, response) =>
    response.end(JSON.stringify(answers[url as keyof typeof answers]()))
  )
  patroni.listen(0, HOST)
  await once(patroni, 'listening')
  const { port } = patroni.address() as AddressInfo
  try {
    const check = await exampleFor('patroni-check', { host: HOST, password: '' })
    const filled = check.replace(':8008', `:${port}`).replace('sleep(1)', 'sleep(0.01)')
    await run('python3', ['-c', filled])
  } finally {
    patroni.close()
  }
  return copies
}

test.group('The check of Patroni', () => {
  test('has a standby copied once that cannot be started, and waits until it runs', async ({
    assert,
  }) => {
    assert.equal(await copiesOf({}), 1)
  })

  test('keeps the files of a standby while not two others have everything', async ({ assert }) => {
    const incomplete = [
      [LEADER],
      [SYNCHRONOUS],
      [LEADER, { ...SYNCHRONOUS, role: 'replica' }],
      [LEADER, { ...SYNCHRONOUS, state: 'starting' }],
      [{ ...LEADER, state: 'stopped' }, SYNCHRONOUS],
    ]
    const copies = incomplete.map((others) => copiesOf({ others }))
    assert.deepEqual(await Promise.all(copies), [0, 0, 0, 0, 0])
  })

  test('leaves one alone that recovers for long, or that runs now and then', async ({ assert }) => {
    const ways = [['starting'], ['start failed', 'start failed', 'running']]
    const copies = ways.map((states) => copiesOf({ states }))
    assert.deepEqual(await Promise.all(copies), [0, 0])
  })
})
