import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { watchable, wholeNumber } from '#hubctl/options'
import { bytes } from '#hubctl/output/bytes'
import { parseInterval, watch } from '#hubctl/output/watch'
import type { Fields } from '#hubctl/platform/pages'

interface Message extends Fields {
  readonly id: string
  readonly senderType: string
  readonly senderId: string
  readonly data?: unknown
  readonly createdAt: string
}

interface PeekOptions {
  readonly limit: number
  readonly watch?: string | boolean
}

export function messagesCommand(): Command {
  return new Command('messages')
    .description('read your own mailbox')
    .addCommand(
      watchable(
        new Command('peek')
          .description('show the oldest pending messages without acknowledging them')
          .option('-l, --limit <count>', 'number of messages', wholeNumber, 20)
      ).action(perform(peek))
    )
}

/** A pull removes nothing: messages are removed when they are acknowledged. */
async function peek(invocation: Invocation<PeekOptions>) {
  const { options, output } = invocation
  const api = await invocation.api()
  const query = new URLSearchParams({ limit: String(options.limit) })
  return watch(parseInterval(options.watch), async () => {
    const { messages } = await api.read<{ messages: Message[] }>('messenger', '/messages', {
      query,
    })
    output.records(output.isTable ? messages.map(rowOf) : messages, {
      kind: 'message',
      columns: ['id', 'sender', 'size', 'createdAt'],
      nothing: 'There are no pending messages.',
    })
  })
}

/** Shows the size instead of the content, which is usually encrypted. */
function rowOf({ id, senderType, senderId, data, createdAt }: Message): Fields {
  const size = bytes(Buffer.byteLength(JSON.stringify(data ?? null)))
  return { id, sender: `${senderType} ${senderId.slice(0, SHORT)}`, size, createdAt }
}

/** Characters of an id that identify it in a table. */
const SHORT = 8
