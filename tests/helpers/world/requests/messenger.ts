import { messengerPool } from '#messenger/database'
import { newMessage, UNLIMITED } from '#tests/helpers/messenger/stored_messages'
import { clock } from '#kernel/clock'
import { storeMessages } from '#messenger/messages/store_messages'
import { INSTALLATION, nodeRow } from './facts.js'
import type { RequestMaker } from './kinds.js'

const NODE_REALMS = ['institute', 'north', 'south'] as const

/** What to send for the routes of messenger. */
export const MESSENGER_REQUESTS: Readonly<Record<string, readonly RequestMaker[]>> = {
  sendMessage: NODE_REALMS.map((realm) => async (world) => {
    const row = nodeRow(world, realm)
    const body = { recipients: [{ type: 'client', id: row.clientId }], data: {} }
    return { method: 'POST', path: '/messages', body, row }
  }),
  pullMessages: NODE_REALMS.map((realm) => async (world) => {
    const row = nodeRow(world, realm)
    const content = clock.uuid()
    const message = newMessage([{ type: 'client', id: row.clientId! }], {
      data: JSON.stringify(content),
    })
    await storeMessages(messengerPool(), [message], UNLIMITED)
    return { method: 'GET', path: '/messages', row, finds: content }
  }),
  acknowledgeMessages: [
    async () => ({
      method: 'POST',
      path: '/messages/ack',
      body: { ids: [clock.uuid()] },
      row: INSTALLATION,
    }),
  ],
  streamMailbox: [async () => ({ method: 'GET', path: '/messages/stream', row: INSTALLATION })],
  listExpiredMessages: [
    async () => ({ method: 'GET', path: '/messages/expired', row: INSTALLATION }),
  ],
  readMailboxes: NODE_REALMS.map((realm) => async (world) => {
    const row = nodeRow(world, realm)
    return { method: 'GET', path: `/mailboxes?clientId=${row.clientId}`, row, isList: true }
  }),
}
