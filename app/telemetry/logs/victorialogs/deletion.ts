import { sleep } from '#kernel/backoff'
import { clock } from '#kernel/clock'
import { DeletionUnsupported, LogStoreUnavailable } from '#telemetry/logs/errors'
import { instantOf, isoOf } from '#telemetry/logs/instant'
import { ServerError } from './errors.js'
import { allOf } from './logsql.js'
import type { VictoriaLogsServer } from './server.js'

const TIMEOUT_MS = 30_000
const MAX_ROUNDS = 3

/** Why the server cannot remove lines; undefined where it can. */
export async function findDeletionProblem(server: VictoriaLogsServer): Promise<string | undefined> {
  try {
    await server.deletions()
    return undefined
  } catch (error) {
    if (!(error instanceof ServerError) || ![400, 404].includes(error.status)) {
      throw new LogStoreUnavailable(error)
    }
    return /delete\.enable/.test(error.text)
      ? 'deletion is switched off in the log store; start it with -delete.enable'
      : 'the log store is of a release that has no deletion; use a newer one'
  }
}

/**
 * Removes what the filter finds now, and resolves when it is gone. The server works on deletions by and by, and leaves lines
 * that are dated later than the beginning of the work: where there are any, nothing is removed.
 */
export async function deleteLines(
  server: VictoriaLogsServer,
  filter: string,
  pollMs: number
): Promise<void> {
  const now = isoOf(instantOf(clock.now()))
  if ((await server.count(allOf([filter, `_time:>${now}`]))) > 0) {
    throw new DeletionUnsupported(
      'some of these lines are dated in the future, and the log store removes none before their time'
    )
  }
  const deadline = performance.now() + TIMEOUT_MS
  const matching = allOf([filter, `_time:<=${now}`])
  // Also where nothing is found: what came in a moment ago is not shown yet, and is removed with the rest.
  for (let round = 1; round === 1 || (await server.count(matching)) > 0; round++) {
    if (round > MAX_ROUNDS) {
      throw new LogStoreUnavailable(new Error('lines were still there after they were deleted'))
    }
    const { task_id: id } = await startDeletion(server, filter)
    while (await isRunning(server, id)) {
      if (performance.now() > deadline) {
        throw new LogStoreUnavailable(
          new Error(`a deletion was not done after ${TIMEOUT_MS / 1_000} s`)
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
