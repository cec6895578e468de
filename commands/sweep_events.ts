import { BaseCommand } from '@adonisjs/core/ace'

export default class SweepEvents extends BaseCommand {
  static commandName = 'sweep:events'
  static description = 'Remove expired events, as every night'
  static options = { startApp: true }

  async run() {
    const { sweepEvents } = await import('#telemetry/events/event_sweep')
    const logger = { info: (...parts: unknown[]) => this.logger.info(parts.map(textOf).join(' ')) }
    const swept = await sweepEvents({ logger })
    if (swept) {
      this.logger.success(`${swept.removed} events were removed`)
    } else {
      this.logger.warning('Another process is removing them')
    }
  }
}

const textOf = (part: unknown) => (typeof part === 'string' ? part : JSON.stringify(part))
