import type { Task } from './task_queue.js'
import type { Tasks } from './tasks.js'

/** Often enough that a lease is not lost when the database is slow once. */
const PROLONGED_EVERY_MS = 10_000

/** What does the tasks of one queue. */
export interface TaskWorker<Data> {
  readonly tasks: Tasks<Data>
  /** How many tasks are done side by side. */
  readonly atOnce: number
  /** Does a task; it may be done twice. Answers true where it has finished the task itself, in a transaction of its own. */
  perform(task: Task<Data>): Promise<boolean | void>
  /** Is told of an attempt that failed. It may answer how long the task is left alone, where that is not the queue's to say. */
  failed(error: unknown, task: Task<Data>): Promise<number | void> | number | void
}

/** Does what is due until nothing is, or the signal asks it to stop. Tasks that fail are left for a later attempt. */
export async function performDue<Data>(
  worker: TaskWorker<Data>,
  signal?: AbortSignal
): Promise<void> {
  while (!signal?.aborted) {
    const taken = await worker.tasks.take(worker.atOnce)
    await everyOne(taken.map((task) => perform(worker, task)))
    if (taken.length === 0) {
      return
    }
  }
}

/** Waits for all, also where one rejects: what still runs would outlive the round. */
async function everyOne(running: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(running)
  await Promise.all(running)
}

/** Does one task at once, and again where it is put meanwhile; nothing, where another process has it. */
export async function performOne<Data>(worker: TaskWorker<Data>, key: string): Promise<void> {
  let isDue = true
  while (isDue) {
    const task = await worker.tasks.takeOne(key)
    isDue = task !== undefined && (await perform(worker, task))
  }
}

/** Answers whether the task was put again meanwhile, so that it is due. */
async function perform<Data>(worker: TaskWorker<Data>, task: Task<Data>): Promise<boolean> {
  const { tasks } = worker
  const lease = setInterval(() => void tasks.prolong(task).catch(() => {}), PROLONGED_EVERY_MS)
  try {
    const isFinished = await worker.perform(task)
    return isFinished || !(await tasks.finish(task))
  } catch (error) {
    const pauseMs = await worker.failed(error, task)
    return await tasks.putBack(task, pauseMs ?? undefined)
  } finally {
    clearInterval(lease)
  }
}
