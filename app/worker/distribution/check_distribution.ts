import { body } from '#kernel/body'
import { clock } from '#kernel/clock'
import { RegistryDenied } from '#oci/errors'
import { inParallel } from '#kernel/in_parallel'
import { COMPONENTS } from '#worker/components'
import type { ImageLocation, ImageLocations } from '#worker/images/image_locations'
import { defineJob } from '#worker/job'
import { JobFailure, failureReport } from '#worker/job_failure'
import { recordId, type RecordOf } from '#worker/platform/records'
import { builtImage } from './built_image.js'
import { TAG, targetsOf, type Target } from './targets.js'

/** For so long somebody may be at work who says nothing. */
const RUN_TIMEOUT_MS = 15 * 60_000
const NODES_AT_ONCE = 8
const MAX_NAMED = 3

type Analysis = RecordOf<'analysis'>

/** What a node has; nothing of it where it has no image, or another one. */
interface NodeArtifact {
  readonly nodeId: string
  readonly artifactTag: string | null
  readonly artifactDigest: string | null
}

/** Looks whether each node has the image of an analysis, by asking the registries. */
export const checkDistribution = defineJob({
  component: COMPONENTS.analysisDistributor,
  command: 'check',
  content: body({ id: recordId() }),
  async run({ id }, { platform, locations, log }) {
    const analysis = await platform.analysis(id)
    if (!analysis) {
      throw new JobFailure('analysisNotFound', 'There is no such analysis')
    }
    const assigned = await platform.analysisNodes(id)
    if (assigned.length === 0) {
      return {}
    }
    const { destinations, unroutable } = await targetsOf(platform, locations, id)
    if (unroutable[0]) {
      throw unroutable[0].why
    }
    const expected = await expectedDigest(locations, analysis)
    const found: NodeArtifact[] = []
    const all = destinations.flatMap(({ location, targets }) =>
      targets.map((target) => ({ place: location, target }))
    )
    await inParallel(all, NODES_AT_ONCE, async ({ place: location, target }) => {
      const { nodeId, name } = target
      found.push(
        await log
          .withLabels({ nodeId })
          .stage(`Look for the image of ${name} in ${location.name}`, () =>
            findArtifact(location, target, expected)
          )
      )
    })
    const status = found.every(({ artifactDigest }) => artifactDigest !== null)
      ? 'executed'
      : statusWithoutImage(analysis)
    return {
      ...(status && { status }),
      nodes: found,
      ...(status === 'failed' && describeMissing(found, all)),
    }
  },
})

/** Why the distribution has failed, in a sentence that names nodes. */
function describeMissing(
  found: readonly NodeArtifact[],
  all: readonly { readonly target: Target }[]
) {
  const missing = found.filter(({ artifactDigest }) => artifactDigest === null)
  const ids = new Set(missing.map(({ nodeId }) => nodeId))
  const names = all.flatMap(({ target }) => (ids.has(target.nodeId) ? target.name : []))
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''
  const message = `${names.length} of ${all.length} nodes do not have the image: ${names.slice(0, MAX_NAMED).join(', ')}${more}; distribute it again`
  return { error: failureReport(new JobFailure('imageNotFound', message)) }
}

/** The digest that images of nodes should have; undefined where the platform was told of something that no registry has. */
async function expectedDigest(
  locations: ImageLocations,
  analysis: Analysis
): Promise<string | undefined> {
  try {
    const { reference } = await builtImage(locations, analysis)
    return reference
  } catch (error) {
    if (error instanceof JobFailure && error.code === 'imageNotFound') {
      return undefined
    }
    throw error
  }
}

/** Registries say of what is not there that it may not be seen. */
async function findArtifact(
  { store }: ImageLocation,
  { nodeId, repository }: Target,
  expected: string | undefined
): Promise<NodeArtifact> {
  try {
    const manifest = await store.manifest(repository, TAG)
    if (manifest && (expected === undefined || manifest.digest === expected)) {
      return { nodeId, artifactTag: TAG, artifactDigest: manifest.digest }
    }
  } catch (error) {
    if (!(error instanceof RegistryDenied)) {
      throw error
    }
  }
  return { nodeId, artifactTag: null, artifactDigest: null }
}

/** What it means that a node has no image. Where somebody may still be at work, nothing. */
function statusWithoutImage({ distributionStatus, updatedAt }: Analysis): 'failed' | undefined {
  const isRunning = distributionStatus === 'starting' || distributionStatus === 'started'
  const isStale = clock.now() - Date.parse(updatedAt ?? '') > RUN_TIMEOUT_MS
  return isRunning && !isStale ? undefined : 'failed'
}
