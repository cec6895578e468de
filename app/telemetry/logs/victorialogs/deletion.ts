import { sleep } from '#kernel/backoff'
import { clock } from '#kernel/clock'
import { DeletionUnsupported, LogStoreUnavailable } from '#telemetry/logs/errors'
import { instantOf, isoOf } from '#telemetry/logs/instant'
import { ServerError } from './errors.js'
import { allOf } from './logsql.js'
import type { VictoriaLogsServer } from './server.js'

const TIMEOUT_MS = 30_000
const MAX_ROUNDS = 3

/** Why the server cannot delete lines; undefined if it can. */
export async function findDeletionProblem(server: VictoriaLogsServer): Promise<string | undefined> {
  try {
    await server.deletions()
    return undefined
  } catch (error) {
    if (!(error instanceof ServerError) || ![400, 404].includes(error.status)) {
      throw new LogStoreUnavailable(error)
    }
    return /delete\.enable/.test(error.text)
      ? 'deletion is disabled in the log store; start it with -delete.enable'
      : 'this release of the log store cannot delete; upgrade it'
  }
}

/**
 * Deletes the matching lines and resolves when they are gone. The server deletes in the background and skips lines
 * dated after the start of the task, so nothing is deleted if there are any.
 */
export async function deleteLines(
  server: VictoriaLogsServer,
  filter: string,
  pollMs: number
): Promise<void> {
  const now = isoOf(instantOf(clock.now()))
  if ((await server.count(allOf([filter, `_time:>${now}`]))) > 0) {
    throw new DeletionUnsupported(
      'some of these lines are dated in the future, and the log store cannot delete them before that time'
    )
  }
  const deadline = performance.now() + TIMEOUT_MS
  const matching = allOf([filter, `_time:<=${now}`])
  // Even if nothing matches: lines that are not visible yet are deleted as well.
  for (let round = 1; round === 1 || (await server.count(matching)) > 0; round++) {
    if (round > MAX_ROUNDS) {
      throw new LogStoreUnavailable(new Error('lines still exist after their deletion'))
    }
    const { task_id: id } = await startDeletion(server, filter)
    while (await isRunning(server, id)) {
      if (performance.now() > deadline) {
        throw new LogStoreUnavailable(
          new Error(`a deletion took more than ${TIMEOUT_MS / 1_000} s`)
        )
      }
      await sleep(Math.min(pollMs, 200), new AbortController().signal)
    }
  }
}

function startDeletion(server: VictoriaLogsServer, filter: string) {
  return orUnavailable(server.startDeletion(filter))
}

async function isRunning(server: VictoriaLogsServer, id: string): Promise<boolean> {
  const tasks = await orUnavailable(server.deletions())
  return tasks.some(({ task_id }) => task_id === id)
}

function orUnavailable<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw new LogStoreUnavailable(error)
  })
}
