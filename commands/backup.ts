import { BaseCommand, flags } from '@adonisjs/core/ace'

import type { Manifest } from '#backup/manifest'

export default class Backup extends BaseCommand {
  static commandName = 'backup'
  static description = 'Back up this installation to a folder or an S3 bucket, while it runs'
  static help = [
    'backup --to=/srv/backup              to a folder, created with mode 700',
    'backup --to=s3://bucket/prefix       to an S3 server: BACKUP_S3_ENDPOINT, else S3_ENDPOINT',
    'A repeated backup to the same location copies only missing objects.',
    'Store APP_KEY in another place: a backup cannot be restored without it.',
  ]
  static options = { startApp: true }

  @flags.string({ description: 'A folder, or s3://bucket/prefix' })
  declare to?: string

  async run() {
    const { createBackupStore, requireLocation } = await import('#backup/open_backup_store')
    const { ownInstallation } = await import('#backup/installation')
    const { takeBackup } = await import('#backup/take_backup')
    const { runAttended } = await import('#backup/run_attended')
    const { env } = await import('#start/env')
    await runAttended(this, async (options) => {
      const backupStore = await createBackupStore(
        requireLocation('to', this.to, this.parsed._),
        env
      )
      const manifest = await takeBackup(await ownInstallation(this.app), backupStore, options)
      return () => this.#report(manifest)
    })
  }

  #report({ id, databases, objects, configuration }: Manifest) {
    const tables = databases.flatMap((database) => database.tables)
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    this.logger.success(
      `backup ${id}: ${rows} rows of ${tables.length} tables, ${objects?.kept ?? 'no'} objects`
    )
    objects?.named.forEach((description) => this.logger.error(`object ${description}`))
    if (objects && objects.gone + objects.damaged > 0) {
      this.logger.error(
        `${objects.gone + objects.damaged} objects are missing from the backup; all others are in it`
      )
      this.exitCode = 1
    }
    const secrets = configuration.secrets.join(', ')
    this.logger.warning(
      `it contains no secrets; store elsewhere: APP_KEY (or app.key of DATA_DIR)${secrets && `, and the secrets you set: ${secrets}`}`
    )
  }
}
