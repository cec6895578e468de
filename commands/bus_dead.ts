import { args, BaseCommand, flags } from '@adonisjs/core/ace'

import type { DeadLetterSelector, DeadLetter, DeadLetters } from '#bus/dead_letters'

const ACTIONS = ['list', 'redrive', 'drop'] as const
const SHOWN_AT_MOST = 1_000

export default class BusDead extends BaseCommand {
  static commandName = 'bus:dead'
  static description = 'List, redrive or drop messages that could not be processed'
  static help = [
    'bus:dead list                      of all queues',
    'bus:dead list <queue>              of one',
    'bus:dead redrive <queue> --id=<id> return one message to its queue; --all for all of them',
    'bus:dead drop <queue> --id=<id>    delete one for good; --all for all of them',
  ]
  static options = { startApp: true }

  @args.string({ description: 'list, redrive or drop' })
  declare action: string

  @args.string({ description: 'Queue of the dead letters', required: false })
  declare queue: string | undefined

  @flags.string({ description: 'Id of one dead letter, from the list' })
  declare id: string | undefined

  @flags.boolean({ description: 'All dead letters of the queue' })
  declare all: boolean | undefined

  async run() {
    const { openDeadLetters } = await import('#outbox/dead_letters')
    const { queuesWithDead } = await import('#start/bus')
    const { env } = await import('#start/env')
    const consumers = await queuesWithDead()
    const queues = consumers.map(({ queue }) => queue)
    const letters = openDeadLetters(consumers, env.AMQP_URL)
    if (!ACTIONS.some((action) => action === this.action)) {
      return this.#refuse(`Pass an action: ${ACTIONS.join(', ')}`)
    }
    if (this.queue !== undefined && !queues.includes(this.queue)) {
      return this.#refuse(`There is no queue ${this.queue} here; there are ${queues.join(', ')}`)
    }
    if (this.action === 'list') {
      return this.#list(letters, this.queue === undefined ? queues : [this.queue])
    }
    return this.#settle(letters)
  }

  async #list(letters: DeadLetters, queues: readonly string[]) {
    const found: DeadLetter[] = []
    for (const queue of queues) {
      found.push(...(await letters.list(queue, SHOWN_AT_MOST)))
    }
    if (found.length === 0) {
      return this.logger.info('no dead letters')
    }
    const table = this.ui.table().head(['id', 'queue', 'type', 'died at', 'attempts', 'reason'])
    for (const { id, queue, type, diedAt, attempts, reason } of found) {
      table.row(
        [id, queue, type ?? '', diedAt.toISOString(), String(attempts), reason].map(printable)
      )
    }
    table.render()
  }

  async #settle(letters: DeadLetters) {
    const chosen: DeadLetterSelector | undefined = this.all
      ? 'all'
      : this.id
        ? { id: this.id }
        : undefined
    if (this.queue === undefined || chosen === undefined) {
      return this.#refuse(`Pass the messages: ${this.action} <queue> --id=<id>, or --all`)
    }
    const isRedrive = this.action === 'redrive'
    const { SecurityAudit } = await import('#audit/security_audit')
    const { settleDeadLetters } = await import('#outbox/settle_dead_letters')
    const { clock } = await import('#kernel/clock')
    const audit = await this.app.container.make(SecurityAudit)
    const count = await settleDeadLetters(
      { letters, audit },
      { requestId: clock.uuid(), address: '', userAgent: 'node ace bus:dead' },
      { action: isRedrive ? 'redrive' : 'drop', queue: this.queue, chosen }
    )
    if (count === 0) {
      return this.#refuse(`There is no such dead letter of ${this.queue}`)
    }
    this.logger.success(
      `${count} messages were ${isRedrive ? 'returned to' : 'dropped from'} ${this.queue}`
    )
  }

  #refuse(reason: string) {
    this.exitCode = 1
    this.logger.error(reason)
  }
}

/** Removes characters that could control the terminal. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?')
}
