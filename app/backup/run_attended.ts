import type { BaseCommand } from '@adonisjs/core/ace'

import { UnknownMigrations } from '#database/deferred_migrations'
import { FormerTables } from '#database/former_migrations'
import { drain } from '#kernel/drain'
import { BackupDamaged, BackupRefused } from './errors.js'

/** Exit code after Ctrl-C. */
const INTERRUPTED = 130

interface AttendedTask {
  readonly signal: AbortSignal
  /** Shown in the terminal. */
  readonly progress: (text: string) => void
}

/** Runs the work of a command until it ends or is interrupted, and reports errors as messages. */
export async function runAttended(
  command: BaseCommand,
  work: (runAttended: AttendedTask) => Promise<() => void>,
  isExpected: (error: unknown) => error is Error = isBackupError
): Promise<void> {
  const task = command.logger.await(command.commandName).start()
  const working = work({ signal: drain.signal, progress: (text) => void task.update(text) })
  const ended = working.finally(() => task.stop())
  command.app.terminating(async () => void (await ended.catch(() => {})))
  try {
    const report = await ended
    report()
  } catch (error) {
    reportFailure(command, error, { isInterrupted: drain.hasStarted, isExpected })
  }
}

interface FailureOptions {
  readonly isInterrupted: boolean
  readonly isExpected: (error: unknown) => error is Error
}

function reportFailure(command: BaseCommand, error: unknown, options: FailureOptions): void {
  const { isInterrupted, isExpected } = options
  if (isInterrupted) {
    command.logger.warning('interrupted: run the command again to resume')
    command.exitCode = INTERRUPTED
    return
  }
  if (!isExpected(error)) {
    throw error
  }
  command.logger.error(error.message)
  command.exitCode = 1
}

const isBackupError = (error: unknown): error is Error =>
  error instanceof BackupRefused ||
  error instanceof BackupDamaged ||
  error instanceof UnknownMigrations ||
  error instanceof FormerTables
