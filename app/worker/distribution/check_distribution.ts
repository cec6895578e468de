import { body } from '#kernel/body'
import { clock } from '#kernel/clock'
import { RegistryDenied } from '#oci/errors'
import { inParallel } from '#kernel/in_parallel'
import { COMPONENTS } from '#worker/components'
import type { Place, Places } from '#worker/images/places'
import { defineJob } from '#worker/job'
import { JobFailure, toldFailure } from '#worker/job_failure'
import { recordId, type RecordOf } from '#worker/platform/records'
import { builtImage } from './built_image.js'
import { TAG, targetsOf, type Target } from './targets.js'

/** For so long somebody may be at work who says nothing. */
const AT_WORK_MS = 15 * 60_000
const NODES_AT_ONCE = 8
const MOST_NAMED = 3

type Analysis = RecordOf<'analysis'>

/** What a node has; nothing of it where it has no image, or another one. */
interface Found {
  readonly nodeId: string
  readonly artifactTag: string | null
  readonly artifactDigest: string | null
}

/** Looks whether each node has the image of an analysis, by asking the registries. */
export const checkDistribution = defineJob({
  component: COMPONENTS.analysisDistributor,
  command: 'check',
  content: body({ id: recordId() }),
  async run({ id }, { platform, places, log }) {
    const analysis = await platform.analysis(id)
    if (!analysis) {
      throw new JobFailure('analysisNotFound', 'There is no such analysis')
    }
    const assigned = await platform.analysisNodes(id)
    if (assigned.length === 0) {
      return {}
    }
    const { destinations, lost } = await targetsOf(platform, places, id)
    if (lost[0]) {
      throw lost[0].why
    }
    const expected = await knownDigest(places, analysis)
    const found: Found[] = []
    const all = destinations.flatMap(({ place, targets }) =>
      targets.map((target) => ({ place, target }))
    )
    await inParallel(all, NODES_AT_ONCE, async ({ place, target }) => {
      const { nodeId, name } = target
      found.push(
        await log
          .about({ nodeId })
          .stage(`Look for the image of ${name} in ${place.name}`, () =>
            foundIn(place, target, expected)
          )
      )
    })
    const status = found.every(({ artifactDigest }) => artifactDigest !== null)
      ? 'executed'
      : verdictOn(analysis)
    return {
      ...(status && { status }),
      nodes: found,
      ...(status === 'failed' && missingIn(found, all)),
    }
  },
})

/** Why the distribution has failed, in a sentence that names nodes. */
function missingIn(found: readonly Found[], all: readonly { readonly target: Target }[]) {
  const lacking = found.filter(({ artifactDigest }) => artifactDigest === null)
  const ids = new Set(lacking.map(({ nodeId }) => nodeId))
  const names = all.flatMap(({ target }) => (ids.has(target.nodeId) ? target.name : []))
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''
  const message = `${names.length} of ${all.length} nodes do not have the image: ${names.slice(0, MOST_NAMED).join(', ')}${more}; distribute it again`
  return { error: toldFailure(new JobFailure('imageNotFound', message)) }
}

/** The digest that images of nodes should have; undefined where the platform was told of something that no registry has. */
async function knownDigest(places: Places, analysis: Analysis): Promise<string | undefined> {
  try {
    const { reference } = await builtImage(places, analysis)
    return reference
  } catch (error) {
    if (error instanceof JobFailure && error.code === 'imageNotFound') {
      return undefined
    }
    throw error
  }
}

/** Registries say of what is not there that it may not be seen. */
async function foundIn(
  { store }: Place,
  { nodeId, repository }: Target,
  expected: string | undefined
): Promise<Found> {
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
function verdictOn({ distributionStatus, updatedAt }: Analysis): 'failed' | undefined {
  const isAtWork = distributionStatus === 'starting' || distributionStatus === 'started'
  const isStale = clock.now() - Date.parse(updatedAt ?? '') > AT_WORK_MS
  return isAtWork && !isStale ? undefined : 'failed'
}
