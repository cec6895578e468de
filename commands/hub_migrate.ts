import { BaseCommand } from '@adonisjs/core/ace'

import { surfacesOf } from '#configuration/processes'
import { bringTablesUpToDate } from '#runtime/tables'

export default class HubMigrate extends BaseCommand {
  static commandName = 'hub:migrate'
  static description = 'Run the migrations of all surfaces, as a start does, and exit'
  static options = { startApp: true }

  async run() {
    const { env } = await import('#start/env')
    const migrations = await bringTablesUpToDate(this.app, surfacesOf(env))
    migrations.forEach((name) => this.logger.success(name))
    this.logger.info(`${migrations.length} migrations ran`)
  }
}
