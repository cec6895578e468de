/** The backup or restoration is not possible; the message says why. */
export class BackupRefused extends Error {
  static code = 'E_BACKUP_REFUSED'
  code = BackupRefused.code
}

/** A part of the backup is damaged. */
export class BackupDamaged extends Error {
  static code = 'E_BACKUP_DAMAGED'
  code = BackupDamaged.code

  constructor(name: string, found: string, cause?: unknown) {
    super(`${name} of the backup is damaged: ${found}`, { cause })
  }
}
