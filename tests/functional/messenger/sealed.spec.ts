import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { messengerPool } from '#messenger/database'
import { at } from '#tests/helpers/application'
import { mailboxOf, somebody, type Somebody } from './messenger_scene.js'

const PROGRAM = fileURLToPath(new URL('sealing_program.mjs', import.meta.url))

/** A separate program that acts as a caller. */
function program(whose: Somebody) {
  const child = spawn(process.execPath, [PROGRAM], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      MESSENGER: at('messenger', ''),
      AUTHORIZATION: whose.headers.authorization,
    },
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    async ask(command: string, given: object = {}): Promise<any> {
      child.stdin.write(`${JSON.stringify({ command, ...given })}\n`)
      const { value } = await lines.next()
      return JSON.parse(value!)
    },
    end: () => void child.kill(),
  }
}

test.group('Sealed messages', () => {
  test('messages can only be decrypted by their recipient', async ({ assert, cleanup }) => {
    const [alice, bob] = [somebody(), somebody()]
    const [here, there] = [program(alice), program(bob)]
    cleanup(() => [here, there].forEach(({ end }) => end()))
    const [hers, his] = await Promise.all([here.ask('key'), there.ask('key')])
    assert.match(hers, /^[\da-f]+$/)

    const texts = ['weights: [0.1, 0.2]', 'ü€😀', '', 'x'.repeat(100_000)]
    for (const text of texts) {
      const waiting = there.ask('receive', { peer: hers })
      const [id] = await here.ask('send', { to: bob.party, peer: his, text })
      assert.deepEqual(await waiting, [text], id)
    }
    await there.ask('send', { to: alice.party, peer: hers, text: 'an answer' })
    const { rows } = await messengerPool().query<{ data: string }>(
      'select data from messages where recipient_id = $1',
      [alice.party.id]
    )
    assert.lengthOf(rows, 1)
    assert.match(rows[0]!.data, /^"[\w+/]+=*"$/)
    assert.deepEqual(await here.ask('receive', { peer: his }), ['an answer'])
    assert.containsSubset(await mailboxOf(alice), { messages: 0 })
  }).timeout(20_000)
})
