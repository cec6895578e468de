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
    .description('look into your own mailbox')
    .addCommand(
      watchable(
        new Command('peek')
          .description('show the oldest messages that wait for you, and leave them there')
          .option('-l, --limit <count>', 'so many of them', wholeNumber, 20)
      ).action(perform(peek))
    )
}

/** A pull takes nothing away: a message goes when it is acknowledged. */
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
      nothing: 'No message waits for you.',
    })
  })
}

/** What a message says is sealed, mostly: its size tells more. */
function rowOf({ id, senderType, senderId, data, createdAt }: Message): Fields {
  const size = bytes(Buffer.byteLength(JSON.stringify(data ?? null)))
  return { id, sender: `${senderType} ${senderId.slice(0, SHORT)}`, size, createdAt }
}

/** Enough of an id to know it again. */
const SHORT = 8
