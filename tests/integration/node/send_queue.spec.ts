import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { QueueFull } from '#node/errors'
import { Hub } from '#node/hub/hub'
import { Mailbox } from '#node/messages/mailbox'
import { SendQueue } from '#node/messages/send_queue'
import { StandInHub } from '#tests/helpers/node/stand_in_hub'
import { eventually } from '#tests/helpers/eventually'
import { temporaryFolder } from '#tests/helpers/temporary_folder'

test.group('Messages that a node sends', () => {
  const message = (analysisId: string, messageId: string, sealed = 'sealed') => ({
    recipientClientId: 'recipient',
    analysisId,
    messageId,
    sealed,
  })

  for (const [what, limits] of [
    ['messages', { messages: 2, bytes: 10_000 }],
    ['bytes', { messages: 10, bytes: 250 }],
  ] as const) {
    test(`too many ${what} of one analysis are refused, and those of others sent`, async ({
      assert,
      cleanup,
    }) => {
      const hub = await StandInHub.listen(cleanup)
      const sent: unknown[] = []
      let isOpen = false
      hub.fault = ({ method, path, body }, response) => {
        if (method !== 'POST' || path !== '/messenger/messages') {
          return false
        }
        const { messageId } = body.metadata as { messageId: string }
        if (!isOpen && messageId.startsWith('one')) {
          return response.writeHead(503).end()
        }
        sent.push(messageId)
        return false
      }
      const folder = await temporaryFolder(cleanup)
      const mailbox = new Mailbox(new Hub({ url: hub.url }, { id: 'client', secret: 'secret' }))
      const queue = await SendQueue.open(folder, mailbox, () => {}, limits)
      cleanup(() => queue.stop())
      await queue.add([message('one', 'one-1'), message('one', 'one-2')])
      await assert.rejects(() => queue.add([message('one', 'one-3')]), QueueFull)
      await queue.add([message('other', 'other-1')])
      await eventually(() => sent.includes('other-1'))
      isOpen = true
      await eventually(async () => (await readdir(folder)).length === 0, 60_000)
      await queue.add([message('one', 'one-4')])
      await eventually(() => sent.includes('one-4'), 60_000)

      assert.deepEqual(
        sent.filter((id) => String(id).startsWith('one')),
        ['one-1', 'one-2', 'one-4']
      )
    })
  }

  test('incomplete files of a killed process are removed', async ({ assert, cleanup }) => {
    const hub = await StandInHub.listen(cleanup)
    const folder = await temporaryFolder(cleanup)
    await writeFile(join(folder, '1.json.draft'), '{')
    const mailbox = new Mailbox(new Hub({ url: hub.url }, { id: 'client', secret: 'secret' }))
    const queue = await SendQueue.open(folder, mailbox, () => {})
    cleanup(() => queue.stop())
    assert.isEmpty(await readdir(folder))
  })
})
