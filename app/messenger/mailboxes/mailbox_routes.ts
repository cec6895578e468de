import type { HttpContext } from '@adonisjs/core/http'

import { idListIn, idListParameter } from '#http/id_list'
import { sendJson } from '#http/send_json'
import type { Operation, SurfaceRoutes } from '#http/surface'
import { dataResponse, exactObject } from '#kernel/json_schema'
import { actorOf } from '#kernel/request_origin'
import { MAILBOX_ACCESS, MailboxReader, MAX_COUNTED } from './mailbox_reader.js'

const readMailboxes: Operation = {
  name: 'readMailboxes',
  summary: 'Read how many messages wait for each client, and the time of the oldest',
  access: MAILBOX_ACCESS,
  query: [idListParameter('clientId', 'clients')],
  responses: {
    200: {
      description:
        'The mailbox of the caller, and those of the nodes of its realm; all mailboxes for the master realm',
      schema: dataResponse({
        type: 'array',
        items: exactObject({
          clientId: { type: 'string', format: 'uuid' },
          messages: { type: 'integer', minimum: 0, maximum: MAX_COUNTED },
          hasMore: { type: 'boolean' },
          oldestAt: { type: ['string', 'null'], format: 'date-time' },
        }),
      }),
    },
  },
}

/** The route that lists the messages waiting for nodes. */
export function mailboxRoutes(routes: SurfaceRoutes): void {
  routes.get('/mailboxes', list, readMailboxes)
}

async function list(ctx: HttpContext): Promise<void> {
  const mailboxes = await ctx.containerResolver.make(MailboxReader)
  const data = await mailboxes.list(actorOf(ctx), idListIn(ctx, 'clientId'))
  sendJson(ctx, { data, meta: {} })
}
