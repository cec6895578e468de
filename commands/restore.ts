import { BaseCommand, flags } from '@adonisjs/core/ace'

import type { RestoreResult } from '#backup/restoring/restore_backup'

export default class Restore extends BaseCommand {
  static commandName = 'restore'
  static description = 'Restore a backup into an empty installation, which must not be running'
  static help = [
    'restore --from=/srv/backup           from a folder',
    'restore --from=s3://bucket/prefix    from an S3 server: BACKUP_S3_ENDPOINT, else S3_ENDPOINT',
    'Set APP_KEY to that of the installation that was backed up.',
    'An interrupted restore resumes when it is run again.',
  ]
  static options = { startApp: true }

  @flags.string({ description: 'A folder, or s3://bucket/prefix' })
  declare from?: string

  async run() {
    const { openBackupStore, requireLocation } = await import('#backup/open_backup_store')
    const { ownInstallation } = await import('#backup/installation')
    const { restoreBackup } = await import('#backup/restoring/restore_backup')
    const { runAttended } = await import('#backup/run_attended')
    const { env } = await import('#start/env')
    await runAttended(this, async (options) => {
      const backupStore = await openBackupStore(
        requireLocation('from', this.from, this.parsed._),
        env
      )
      const installation = await ownInstallation(this.app)
      const restored = await restoreBackup(this.app, installation, {
        backupStore,
        ...options,
      })
      return () => this.#report(restored)
    })
  }

  #report({ manifest, objects, migrations }: RestoreResult) {
    const tables = manifest.databases.flatMap((database) => database.tables)
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    this.logger.success(
      `backup ${manifest.id} is restored: ${rows} rows of ${tables.length} tables, ${objects?.kept ?? 'no'} objects`
    )
    migrations.forEach((name) => this.logger.info(`migrated: ${name}`))
    if (objects && objects.gone + objects.damaged > 0) {
      objects.named.forEach((description) => this.logger.error(`object ${description}`))
      this.logger.error(
        `${objects.gone + objects.damaged} files have no object, because the backup has no intact one`
      )
      this.exitCode = 1
    }
    this.logger.info('check the audit trail with "node ace audit:verify", then start the hub')
  }
}
