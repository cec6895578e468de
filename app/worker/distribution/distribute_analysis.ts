import { setTimeout as delay } from 'node:timers/promises'

import { body } from '#kernel/body'
import { signedImage } from '#oci/signing/copy_signature'
import { COMPONENTS } from '#worker/components'
import { defineJob, type Work } from '#worker/job'
import { JobFailure } from '#worker/job_failure'
import { recordId } from '#worker/platform/records'
import { requireApproved } from './approved_image.js'
import { builtImage } from './built_image.js'
import { LastLook } from './last_look.js'
import { serveAll, type Task } from './round.js'
import { targetsOf, type Destination, type Targets } from './targets.js'
import { requireAllServed, unserved, type Verdict } from './verdict.js'

export interface DistributionLimits {
  /** How long nothing may go on with a node. */
  readonly stallMs: number
  /** How long nodes are left alone that were not served for a reason that may pass, each time. */
  readonly pausesMs: readonly number[]
}

const LIMITS: DistributionLimits = { stallMs: 120_000, pausesMs: [2_000, 10_000] }

/** Brings the image of an analysis to its nodes, to each by its own registry. */
export const distribution = ({ stallMs, pausesMs }: DistributionLimits = LIMITS) =>
  defineJob({
    component: COMPONENTS.analysisDistributor,
    command: 'execute',
    content: body({ id: recordId() }),
    async run({ id }, work) {
      const { platform, places, signing, log } = work
      const analysis = await platform.analysis(id)
      if (!analysis) {
        throw new JobFailure('analysisNotFound', 'There is no such analysis')
      }
      const [image, targets] = await log.stage('Look what goes where', () =>
        Promise.all([builtImage(places, analysis), targetsOf(platform, places, id)])
      )
      const signed = await log.stage('Look whether the image is signed by this hub', async () => {
        const keys = await signing.accepted(platform)
        return signedImage(image, image.reference, keys, { name: id })
      })
      await log.stage('Compare the image with what is approved', () =>
        requireApproved(platform, id, image, signed)
      )
      const look = new LastLook(platform, id, image.content)
      const onBytes = progressOf(work, image.size * countOf(targets.destinations))
      const task = { image, signed, look, work, stallMs, onBytes }
      const verdicts = await untilServed(targets, task, pausesMs)
      return requireAllServed(verdicts, namesIn(targets))
    },
  })

export const distributeAnalysis = distribution()

/** Nodes that were not served for a reason that may pass are tried again, and they alone. */
async function untilServed(
  { destinations, lost }: Targets,
  task: Task,
  pausesMs: readonly number[]
): Promise<Verdict[]> {
  const outcomes = await serveAll(destinations, task)
  for (const pauseMs of pausesMs) {
    const rest = without(destinations, (nodeId) => !outcomes.get(nodeId)?.isPassing)
    if (rest.length === 0) {
      break
    }
    task.work.log.warn(`${countOf(rest)} nodes do not have the image; once more in ${pauseMs} ms`)
    await delay(pauseMs, undefined, { signal: task.work.signal })
    for (const [nodeId, outcome] of await serveAll(rest, task)) {
      outcomes.set(nodeId, outcome)
    }
  }
  const known = outcomes.values().map(({ verdict }) => verdict)
  const verdicts = [...known, ...lost.map(({ nodeId, why }) => unserved(nodeId, why))]
  return verdicts.toSorted((one, other) => (one.nodeId < other.nodeId ? -1 : 1))
}

function without(
  destinations: readonly Destination[],
  isDone: (nodeId: string) => boolean
): Destination[] {
  return destinations
    .map(({ place, targets }) => ({
      place,
      targets: targets.filter(({ nodeId }) => !isDone(nodeId)),
    }))
    .filter(({ targets }) => targets.length > 0)
}

const countOf = (destinations: readonly Destination[]): number =>
  destinations.reduce((sum, { targets }) => sum + targets.length, 0)

function progressOf(work: Work, total: number): (bytes: number) => void {
  let moved = 0
  return (bytes) => {
    moved += bytes
    work.progress(Math.min(moved, total), total)
  }
}

function namesIn({ destinations, lost }: Targets): (nodeId: string) => string {
  const known = [...destinations.flatMap(({ targets }) => targets), ...lost]
  const names = new Map(known.map(({ nodeId, name }) => [nodeId, name]))
  return (nodeId) => names.get(nodeId) ?? nodeId
}
