import type { BaseCommand } from '@adonisjs/core/ace'

import { UnknownMigrations } from '#database/deferred_migrations'
import { drain } from '#kernel/drain'
import { BackupDamaged, BackupRefused } from './errors.js'

/** What a shell says of a program that Ctrl-C has ended. */
const INTERRUPTED = 130

interface Attended {
  readonly signal: AbortSignal
  /** Shown to whoever sits in front of a terminal. */
  readonly progress: (said: string) => void
}

/** Does the work of a command until it ends or a person ends it, and says in a sentence what kept it from its end. */
export async function attended(
  command: BaseCommand,
  work: (attended: Attended) => Promise<() => void>,
  isForPeople: (error: unknown) => error is Error = isOfBackups
): Promise<void> {
  const task = command.logger.await(command.commandName).start()
  const working = work({ signal: drain.signal, progress: (said) => void task.update(said) })
  const ended = working.finally(() => task.stop())
  command.app.terminating(async () => void (await ended.catch(() => {})))
  try {
    const tell = await ended
    tell()
  } catch (error) {
    complain(command, error, { isInterrupted: drain.hasStarted, isForPeople })
  }
}

interface Complaint {
  readonly isInterrupted: boolean
  readonly isForPeople: (error: unknown) => error is Error
}

function complain(command: BaseCommand, error: unknown, complaint: Complaint): void {
  const { isInterrupted, isForPeople } = complaint
  if (isInterrupted) {
    command.logger.warning('ended before it was done; start it again, and it goes on')
    command.exitCode = INTERRUPTED
    return
  }
  if (!isForPeople(error)) {
    throw error
  }
  command.logger.error(error.message)
  command.exitCode = 1
}

const isOfBackups = (error: unknown): error is Error =>
  error instanceof BackupRefused ||
  error instanceof BackupDamaged ||
  error instanceof UnknownMigrations
