import { test } from '@japa/runner'

import { storeDeadLetter } from '#bus/memory/memory_dead_letters'
import { newMessage, serializeMessage } from '#bus/message'
import { COMMAND_QUEUES, commandRouting } from '#bus/names'
import { corePool } from '#core/database'
import { clock } from '#kernel/clock'
import { ConsoleVisitor } from '#tests/helpers/console/console_visitor'
import { useExaminations } from '#tests/helpers/console/fake_examinations'

const QUEUE = COMMAND_QUEUES.analysisMetadata
const HOSTILE = '<script>alert(1)</script>'

const operator = () => ConsoleVisitor.as({ permissions: ['service_manage'] })

/** Stores a dead letter as the consumer of its queue does. Returns the id of its message. */
async function deadMessage(reason = 'there is no such thing'): Promise<string> {
  const message = newMessage(commandRouting(QUEUE), 'execute', { secret: 'of-a-message' })
  const subscription = { queue: QUEUE, prefetch: 1, database: corePool() }
  await storeDeadLetter(subscription, serializeMessage(message), { reason, attempts: 8 })
  return message.id
}

async function letterOf(messageId: string): Promise<string | undefined> {
  const { rows } = await corePool().query<{ id: string }>(
    'select id::text from dead_letters where message_id = $1',
    [messageId]
  )
  return rows[0]?.id
}

test.group('The system page', (group) => {
  group.setup(() =>
    useExaminations({
      severity: 'warning',
      checks: [],
      findings: [
        {
          code: 'DISK_LOW',
          severity: 'warning',
          message: `It is low: ${HOSTILE}`,
          remedy: 'Enlarge it.',
        },
      ],
    })
  )

  test('the page shows services with their versions, queues, sweeps and the last backup', async ({
    assert,
  }) => {
    await corePool().query(
      `insert into backups (id, started_at, ended_at, version) values ($1, now(), now(), '1')`,
      [`b-${clock.uuid()}`]
    )
    const page = await operator().open('/system')

    assert.equal(page.status, 200)
    for (const text of [
      'core',
      'telemetry',
      'The last one ended',
      'hubctl status',
      'hubctl sweep events',
    ]) {
      assert.include(page.text, text)
    }
    assert.match(page.text, /\d+\.\d+\.\d+/)
  })

  test('the page shows what the doctor found, as text', async ({ assert }) => {
    const visitor = operator()
    const started = await visitor.submit(await visitor.open('/system'), '/system/examination')
    const page = await visitor.open('/system')

    assert.equal(started.status, 303)
    assert.include(page.text, 'DISK_LOW')
    assert.include(page.text, 'Enlarge it.')
    assert.notInclude(page.text, HOSTILE)
  })

  test('a sweep can be run at once', async ({ assert }) => {
    const visitor = operator()
    const done = await visitor.submit(await visitor.open('/system'), '/system/sweeps/messages')

    assert.equal(done.status, 303)
    assert.include((await visitor.open('/system')).text, 'The sweep has had its turn')
  })

  test('the page is for operators only, and so is each action', async ({ assert }) => {
    const messageId = await deadMessage()
    const id = await letterOf(messageId)
    const visitor = ConsoleVisitor.as({ permissions: ['event_read'] })
    const [, token = ''] =
      /name="_token" value="([^"]+)"/.exec((await visitor.open('/audit')).text) ?? []
    const actions = [
      '/system/examination',
      '/system/sweeps/events',
      `/system/dead/${id}/redrive`,
      `/system/dead/${id}/drop`,
      '/system/dead/redrive',
    ]

    assert.equal((await visitor.open('/system')).status, 403)
    assert.equal((await visitor.open('/system/dead')).status, 403)
    for (const path of actions) {
      const own = { _token: token, queue: QUEUE }
      const refused = await visitor.forge(path, own, { 'sec-fetch-site': 'same-origin' })
      assert.equal(refused.status, 403, path)
      const forged = await visitor.forge(path, { queue: QUEUE })
      assert.include(forged.text, 'The form was refused', path)
    }
    assert.equal(await letterOf(messageId), id)
  })
})

test.group('The page of dead letters', () => {
  test('the page says why each died, without its content, and as text', async ({ assert }) => {
    const id = await letterOf(await deadMessage(HOSTILE))
    const page = await operator().open('/system/dead')

    assert.equal(page.status, 200)
    assert.include(page.text, `hubctl bus redrive ${id}`)
    assert.include(page.text, '&lt;script&gt;alert(1)')
    assert.notInclude(page.text, HOSTILE)
    assert.notInclude(page.text, 'of-a-message')
  })

  test('one is redriven, and another one deleted', async ({ assert }) => {
    const [first, second] = [await deadMessage(), await deadMessage()]
    const [redriven, dropped] = [await letterOf(first), await letterOf(second)]
    const visitor = operator()
    const page = await visitor.open('/system/dead')
    const after = await visitor.submit(page, `/system/dead/${redriven}/redrive`)
    await visitor.submit(page, `/system/dead/${dropped}/drop`)

    assert.equal(after.status, 303)
    assert.isUndefined(await letterOf(first))
    assert.isUndefined(await letterOf(second))
    const { rowCount } = await corePool().query('select from outbox where message_id = $1', [first])
    assert.equal(rowCount, 1)
  })

  test('the page leads those who may read it to the audit trail', async ({ assert }) => {
    const reader = ConsoleVisitor.as({ permissions: ['service_manage', 'event_read'] })
    const link = '/audit?kind=deadLetter'
    assert.include((await reader.open('/system/dead')).text, link)
    assert.notInclude((await operator().open('/system/dead')).text, link)
    assert.equal((await reader.open(link)).status, 200)
  })

  test('all of a queue are redriven together', async ({ assert }) => {
    const messages = [await deadMessage(), await deadMessage()]
    const visitor = operator()
    const page = await visitor.open(`/system/dead?queue=${QUEUE}`)
    const after = await visitor.submit(page, '/system/dead/redrive')

    assert.include((await visitor.follow(after)).text, 'Back in the queue')
    assert.deepEqual(await Promise.all(messages.map(letterOf)), [undefined, undefined])
  })
})
