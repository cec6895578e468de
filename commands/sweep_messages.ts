import { BaseCommand } from '@adonisjs/core/ace'

export default class SweepMessages extends BaseCommand {
  static commandName = 'sweep:messages'
  static description = 'Remove expired messages, as every minute'
  static options = { startApp: true }

  async run() {
    const { sweepMessages } = await import('#messenger/mailboxes/message_sweeps')
    const task = this.logger.await('removing').start()
    const logger = { info: (fields: unknown) => task.update(JSON.stringify(fields)) }
    const swept = await sweepMessages({ logger }).finally(() => task.stop())
    if (swept) {
      this.logger.success(`${swept.removed} messages were removed`)
    } else {
      this.logger.warning('Another process is removing them')
    }
  }
}
