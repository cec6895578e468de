import { BaseCommand } from '@adonisjs/core/ace'

export default class BusWork extends BaseCommand {
  static commandName = 'bus:work'
  static description =
    'Consume commands and events from the bus in this process, until it is stopped'
  static help = ['The same as SURFACES=none JOBS=bus npm start, without health checks and metrics.']
  static options = { startApp: true, staysAlive: true }

  async run() {
    const { start } = await import('#start/bus')
    const { drain } = await import('#kernel/drain')
    const running = await start({ app: this.app, drain })
    this.app.terminating(() => running.stop())
    this.logger.info('consuming; stop with SIGTERM or Ctrl-C')
  }
}
