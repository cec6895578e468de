import type { BaseCommand } from '@adonisjs/core/ace'

import { UnknownMigrations } from '#database/postponed'
import { BackupDamaged, BackupRefused } from './errors.js'

/** What a shell says of a program that Ctrl-C has ended. */
const INTERRUPTED = 130
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

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
  const stop = new AbortController()
  const abort = () => stop.abort()
  SIGNALS.forEach((name) => process.on(name, abort))
  const { progress, end } = progressOf(command)
  try {
    const tell = await work({ signal: stop.signal, progress })
    end()
    tell()
  } catch (error) {
    end()
    complain(command, error, { isInterrupted: stop.signal.aborted, isForPeople })
  } finally {
    SIGNALS.forEach((name) => process.off(name, abort))
  }
}

function progressOf({ logger, commandName }: BaseCommand) {
  if (!process.stdout.isTTY) {
    return { progress: () => {}, end: () => {} }
  }
  const task = logger.await(commandName)
  task.start()
  return { progress: (said: string) => void task.update(said), end: () => task.stop() }
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
