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

/** A run without progress for this long has failed. */
const RUN_TIMEOUT_MS = 15 * 60_000
const NODES_AT_ONCE = 8
const MAX_NAMED = 3

type Analysis = RecordOf<'analysis'>

/** The image of a node. Tag and digest are null if it has none, or another one. */
interface NodeArtifact {
  readonly nodeId: string
  readonly artifactTag: string | null
  readonly artifactDigest: string | null
}

/** Checks in the registries whether each node has the image. */
export const checkDistribution = defineJob({
  component: COMPONENTS.analysisDistributor,
  command: 'check',
  content: body({ id: recordId() }),
  async run({ id }, { platform, locations, log }) {
    const analysis = await platform.analysis(id)
    if (!analysis) {
      throw new JobFailure('analysisNotFound', 'The analysis does not exist')
    }
    const assigned = await platform.analysisNodes(id)
    if (assigned.length === 0) {
      return {}
    }
    const { destinations, unroutable } = await targetsOf(platform, locations, id)
    if (unroutable[0]) {
      throw unroutable[0].reason
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

/** The digest that nodes should have. Undefined if the platform knows no registry digest. */
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

/** Registries deny access to repositories that do not exist. */
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

/** The status if a node has no image. Undefined if a run may still be active. */
function statusWithoutImage({ distributionStatus, updatedAt }: Analysis): 'failed' | undefined {
  const isRunning = distributionStatus === 'starting' || distributionStatus === 'started'
  const isStale = clock.now() - Date.parse(updatedAt ?? '') > RUN_TIMEOUT_MS
  return isRunning && !isStale ? undefined : 'failed'
}
