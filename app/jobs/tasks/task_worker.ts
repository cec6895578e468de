import type { Task } from './task_queue.js'
import type { Tasks } from './tasks.js'

/** Often enough that a lease is not lost when the database is slow once. */
const RENEW_LEASE_MS = 10_000

/** What does the tasks of one queue. */
export interface TaskWorker<Data> {
  readonly tasks: Tasks<Data>
  /** How many tasks are done side by side. */
  readonly concurrency: number
  /** Does a task; it may be done twice. Answers true where it has finished the task itself, in a transaction of its own. */
  perform(task: Task<Data>): Promise<boolean | void>
  /** Is told of an attempt that failed. It may answer how long the task is left alone, where that is not the queue's to say. */
  onFailure(error: unknown, task: Task<Data>): Promise<number | void> | number | void
}

/** Does what is due until nothing is, or the signal asks it to stop. Tasks that fail are left for a later attempt. */
export async function runDueTasks<Data>(
  worker: TaskWorker<Data>,
  signal?: AbortSignal
): Promise<void> {
  while (!signal?.aborted) {
    const claimed = await worker.tasks.claim(worker.concurrency)
    await settleAll(claimed.map((task) => perform(worker, task)))
    if (claimed.length === 0) {
      return
    }
  }
}

/** Waits for all, also where one rejects: what still runs would outlive the round. */
async function settleAll(running: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(running)
  await Promise.all(running)
}

/** Does one task at once, and again where it is put meanwhile; nothing, where another process has it. */
export async function runTask<Data>(worker: TaskWorker<Data>, key: string): Promise<void> {
  let isDue = true
  while (isDue) {
    const task = await worker.tasks.claimOne(key)
    isDue = task !== undefined && (await perform(worker, task))
  }
}

/** Answers whether the task was put again meanwhile, so that it is due. */
async function perform<Data>(worker: TaskWorker<Data>, task: Task<Data>): Promise<boolean> {
  const { tasks } = worker
  const lease = setInterval(() => void tasks.renewLease(task).catch(() => {}), RENEW_LEASE_MS)
  try {
    const isFinished = await worker.perform(task)
    return isFinished || !(await tasks.finish(task))
  } catch (error) {
    const pauseMs = await worker.onFailure(error, task)
    return await tasks.release(task, pauseMs ?? undefined)
  } finally {
    clearInterval(lease)
  }
}
