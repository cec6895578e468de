/** A backup or a restoration that cannot be done, in a sentence for the person who asked for it. */
export class BackupRefused extends Error {
  static code = 'E_BACKUP_REFUSED'
  code = BackupRefused.code
}

/** Something in a backup is not what was put there. */
export class BackupDamaged extends Error {
  static code = 'E_BACKUP_DAMAGED'
  code = BackupDamaged.code

  constructor(name: string, found: string, cause?: unknown) {
    super(`${name} of the backup is damaged: ${found}`, { cause })
  }
}
