import { test } from '@japa/runner'

import { sweepMessages } from '#messenger/mailboxes/message_sweeps'
import { at } from '#tests/helpers/application'
import { identity } from '#tests/helpers/identities'
import { acknowledge, age, request, mailboxOf, send, somebody } from './messenger_scene.js'

const administrator = identity({ permissions: ['service_manage'] })
const silent = { info() {} }

test.group('Messages that expired', () => {
  test('expired messages are counted by recipient, and listed for administrators', async ({
    assert,
    client,
  }) => {
    const [sender, one, two, quick] = [somebody(), somebody('user'), somebody(), somebody()]
    const lost: string[] = []
    for (const recipients of [[one, two], [one], [one]]) {
      lost.push(...(await send(sender, recipients)))
    }
    const fetched = await send(sender, [quick])
    await acknowledge(quick, fetched)
    await age(lost, '25 hours')
    await sweepMessages({ logger: silent })
    const response = await client
      .get(at('messenger', '/messages/expired?limit=1000'))
      .headers(administrator.headers)
    response.assertStatus(200)
    const { recipients, total } = response.body()
    assert.containsSubset(recipients, [
      { ...one.party, expired: 3 },
      { ...two.party, expired: 1 },
    ])
    assert.isAtLeast(total, 2)
    assert.notInclude(JSON.stringify(recipients), quick.party.id)
    assert.containsSubset(await mailboxOf(one), { messages: 0, bytes: 0, expired: 3 })
    const first = await request(administrator, 'GET', '/messages/expired?limit=1')
    assert.lengthOf(first.body.recipients, 1)
    assert.equal(first.body.total, total)
  })

  test('expired messages are not listed for others', async ({ assert }) => {
    for (const traits of [
      { permissions: [] },
      { permissions: ['service_manage'], realmName: 'site' },
    ]) {
      const { status } = await request(identity(traits), 'GET', '/messages/expired')
      assert.equal(status, 403)
    }
  })
})
