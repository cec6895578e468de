import { commonRoutes } from '#openapi/common_routes'
import type { Surface } from '#http/surface'
import { streamRoutes } from '#messenger/delivery/stream_routes'
import { expiredRoutes } from '#messenger/mailboxes/expired_routes'
import { mailboxRoutes } from '#messenger/mailboxes/mailbox_routes'
import { messageRoutes } from '#messenger/messages/message_routes'

const messenger: Surface = {
  name: 'messenger',
  title: 'Messenger',
  summary: 'Encrypted messages between identities',
  routes(routes) {
    commonRoutes(routes, messenger)
    messageRoutes(routes)
    streamRoutes(routes)
    expiredRoutes(routes)
    mailboxRoutes(routes)
  },
}

export default messenger
