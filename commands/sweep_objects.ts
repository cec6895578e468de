import { BaseCommand } from '@adonisjs/core/ace'

export default class SweepObjects extends BaseCommand {
  static commandName = 'sweep:objects'
  static description = 'Remove objects without a record, as on schedule'
  static options = { startApp: true }

  async run() {
    const { Administration } = await import('#core/administration/administration')
    const { serviceOrigin } = await import('#auth/service_origin')
    const administration = await this.app.container.make(Administration)
    const { removed, isDone } = await administration.runSweep(await serviceOrigin(), 'objects')
    this.logger.success(`${removed} objects were removed`)
    if (!isDone) {
      this.logger.warning('There are more, or another process is removing them: run it again')
    }
  }
}
