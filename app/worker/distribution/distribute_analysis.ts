import { setTimeout as delay } from 'node:timers/promises'

import { body } from '#kernel/body'
import { signedImage } from '#oci/signing/copy_signature'
import { COMPONENTS } from '#worker/components'
import { defineJob, type JobContext } from '#worker/job'
import { JobFailure } from '#worker/job_failure'
import { recordId } from '#worker/platform/records'
import { requireApproved } from './approved_image.js'
import { builtImage } from './built_image.js'
import { AgreementCheck } from './agreement_check.js'
import { deliverToAll, type DistributionTask } from './deliver_to_all.js'
import { targetsOf, type Destination, type Targets } from './targets.js'
import { requireAllDelivered, failedNode, type NodeResult } from './node_result.js'

export interface DistributionLimits {
  /** Timeout without progress per node. */
  readonly stallMs: number
  /** Pauses before nodes with transient errors are retried. */
  readonly pausesMs: readonly number[]
}

const LIMITS: DistributionLimits = { stallMs: 120_000, pausesMs: [2_000, 10_000] }

/** Distributes the image of an analysis to its nodes, through the registry of each. */
export const distribution = ({ stallMs, pausesMs }: DistributionLimits = LIMITS) =>
  defineJob({
    component: COMPONENTS.analysisDistributor,
    command: 'execute',
    content: body({ id: recordId() }),
    async run({ id }, job) {
      const { platform, locations, signing, log } = job
      const analysis = await platform.analysis(id)
      if (!analysis) {
        throw new JobFailure('analysisNotFound', 'The analysis does not exist')
      }
      const [image, targets] = await log.stage('Find the image and its destinations', () =>
        Promise.all([builtImage(locations, analysis), targetsOf(platform, locations, id)])
      )
      const signed = await log.stage('Verify the signature of the image', async () => {
        const keys = await signing.accepted(platform)
        return signedImage(image, image.reference, keys, { name: id })
      })
      await log.stage('Compare the image with the approved content', () =>
        requireApproved(platform, id, image, signed)
      )
      const agreement = new AgreementCheck(platform, id, image.content)
      const onBytes = progressOf(job, image.size * countOf(targets.destinations))
      const task = { image, signed, agreement, job, stallMs, onBytes }
      const results = await deliverWithRetries(targets, task, pausesMs)
      return requireAllDelivered(results, namesIn(targets))
    },
  })

export const distributeAnalysis = distribution()

/** Retries only nodes with transient errors. */
async function deliverWithRetries(
  { destinations, unroutable }: Targets,
  task: DistributionTask,
  pausesMs: readonly number[]
): Promise<NodeResult[]> {
  const deliveries = await deliverToAll(destinations, task)
  for (const pauseMs of pausesMs) {
    const retryable = without(destinations, (nodeId) => !deliveries.get(nodeId)?.isTransient)
    if (retryable.length === 0) {
      break
    }
    task.job.log.warn(
      `${countOf(retryable)} nodes do not have the image; retrying in ${pauseMs} ms`
    )
    await delay(pauseMs, undefined, { signal: task.job.signal })
    for (const [nodeId, delivery] of await deliverToAll(retryable, task)) {
      deliveries.set(nodeId, delivery)
    }
  }
  const known = deliveries.values().map(({ result }) => result)
  const results = [
    ...known,
    ...unroutable.map(({ nodeId, reason: why }) => failedNode(nodeId, why)),
  ]
  return results.toSorted((one, other) => (one.nodeId < other.nodeId ? -1 : 1))
}

function without(
  destinations: readonly Destination[],
  isExcluded: (nodeId: string) => boolean
): Destination[] {
  return destinations
    .map(({ location, targets }) => ({
      location,
      targets: targets.filter(({ nodeId }) => !isExcluded(nodeId)),
    }))
    .filter(({ targets }) => targets.length > 0)
}

const countOf = (destinations: readonly Destination[]): number =>
  destinations.reduce((sum, { targets }) => sum + targets.length, 0)

function progressOf(job: JobContext, total: number): (bytes: number) => void {
  let moved = 0
  return (bytes) => {
    moved += bytes
    job.progress(Math.min(moved, total), total)
  }
}

function namesIn({ destinations, unroutable }: Targets): (nodeId: string) => string {
  const known = [...destinations.flatMap(({ targets }) => targets), ...unroutable]
  const names = new Map(known.map(({ nodeId, name }) => [nodeId, name]))
  return (nodeId) => names.get(nodeId) ?? nodeId
}
