import type { Task } from './task_queue.js'
import type { Tasks } from './tasks.js'

/** Short enough that one slow statement does not lose the lease. */
const RENEW_LEASE_MS = 10_000

/** Runs the tasks of one queue. */
export interface TaskWorker<Data> {
  readonly tasks: Tasks<Data>
  /** The number of tasks that run concurrently. */
  readonly concurrency: number
  /** Runs a task; it may run twice. Returns true if it has finished the task itself, in its own transaction. */
  perform(task: Task<Data>): Promise<boolean | void>
  /** Called after a failed attempt. May return the retry delay, which otherwise the queue determines. */
  onFailure(error: unknown, task: Task<Data>): Promise<number | void> | number | void
}

/** Runs due tasks until none is left or the signal aborts. Failed tasks are released for a later attempt. */
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

/** Awaits all, even if one rejects: none may outlive the round. */
async function settleAll(running: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(running)
  await Promise.all(running)
}

/** Runs one task immediately, and again if it is enqueued meanwhile. Does nothing if another process has claimed it. */
export async function runTask<Data>(worker: TaskWorker<Data>, key: string): Promise<void> {
  let isDue = true
  while (isDue) {
    const task = await worker.tasks.claimOne(key)
    isDue = task !== undefined && (await perform(worker, task))
  }
}

/** Returns whether the task was enqueued again meanwhile and is due. */
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
