import type { Job } from '#configuration/processes'
import type { JobContext, RunningJob } from '#jobs/running_job'

type StartJob = (context: JobContext) => Promise<RunningJob>

/** The starters of background work, loaded only in processes that run it. */
const STARTERS: Partial<Record<Job, () => Promise<{ start: StartJob }>>> = {
  bus: () => import('#start/bus'),
  outbox: () => import('#start/outbox'),
  sweeps: () => import('#start/sweeps'),
  worker: () => import('#start/worker'),
}

/** Starts the background work of this process. */
export async function startJobs(names: readonly Job[], context: JobContext): Promise<RunningJob> {
  const running: RunningJob[] = []
  for (const name of names) {
    const job = await STARTERS[name]?.()
    if (job) {
      running.push(await job.start(context))
    }
  }
  return {
    async stop() {
      await Promise.all(running.map((job) => job.stop()))
    },
  }
}
