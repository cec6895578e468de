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
    await Promise.all(taken.map((task) => perform(worker, task)))
    if (taken.length === 0) {
      return
    }
  }
}

/** Does one task at once, and again where it is put meanwhile; nothing, where another process has it. */
export async function performOne<Data>(worker: TaskWorker<Data>, key: string): Promise<void> {
  for (let task = await worker.tasks.takeOne(key); task; task = await worker.tasks.takeOne(key)) {
    await perform(worker, task)
  }
}

async function perform<Data>(worker: TaskWorker<Data>, task: Task<Data>): Promise<void> {
  const { tasks } = worker
  const lease = setInterval(() => void tasks.prolong(task).catch(() => {}), PROLONGED_EVERY_MS)
  try {
    if (!(await worker.perform(task))) {
      await tasks.finish(task)
    }
  } catch (error) {
    const pauseMs = await worker.failed(error, task)
    await tasks.putBack(task, pauseMs ?? undefined)
  } finally {
    clearInterval(lease)
  }
}
