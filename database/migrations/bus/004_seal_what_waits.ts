import { BaseSchema } from '@adonisjs/lucid/schema'

import { unsealCommand, sealCommand } from '#outbox/payloads/sealed_command'
import type { PendingCommand } from '#outbox/entry'
import { seal, unseal } from '#records/sealing'

type Client = Parameters<Parameters<BaseSchema['defer']>[0]>[0]

/** Commands that wait and letters that died may hold secrets. */
export default class SealWhatWaits extends BaseSchema {
  async up() {
    this.defer(async (client) => {
      await rewriteCommands(client, ({ command }) => sealCommand(command))
      await rewriteLetters(client, (bytes) =>
        Buffer.from(seal('dead letter', bytes.toString('base64')))
      )
    })
  }

  async down() {
    this.defer(async (client) => {
      await rewriteCommands(client, (waiting) => ({ command: unsealCommand(waiting) }))
      await rewriteLetters(client, (bytes) =>
        Buffer.from(unseal('dead letter', bytes.toString()) ?? '', 'base64')
      )
    })
  }
}

async function rewriteCommands(
  client: Client,
  rewritten: (waiting: PendingCommand) => PendingCommand
): Promise<void> {
  const { rows } = await client.rawQuery(
    `select position, content from outbox where content->'command' is not null for update`
  )
  for (const { position, content } of rows) {
    const after = rewritten(content)
    await client.rawQuery('update outbox set content = ? where position = ?', [
      JSON.stringify(after),
      position,
    ])
  }
}

async function rewriteLetters(client: Client, rewritten: (body: Buffer) => Buffer): Promise<void> {
  const { rows } = await client.rawQuery('select id, body from dead_letters for update')
  for (const { id, body } of rows) {
    await client.rawQuery('update dead_letters set body = ? where id = ?', [rewritten(body), id])
  }
}
