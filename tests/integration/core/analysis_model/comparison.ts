import { isDeepStrictEqual } from 'node:util'

import type { Model } from './model.js'
import type { World } from './world.js'

const QUEUES = { build: 'analysisBuilderCommands', distribution: 'analysisDistributorCommands' }

/** Throws if the platform shows, stores or sent something else than the model. */
export async function requireSame(model: Model, world: World): Promise<void> {
  const actual = await world.snapshot(model.deletedBuckets)
  const differences = differencesOf(actual, expectedOf(model, world))
  if (differences.length > 0) {
    throw new Error(differences.join('\n'))
  }
}

/** The differences, by the names of nested properties. */
function differencesOf(actual: any, expected: any, name = 'all'): string[] {
  const isNamed = (one: unknown) => one !== null && typeof one === 'object' && !Array.isArray(one)
  if (isNamed(actual) && isNamed(expected)) {
    return Object.keys(expected).flatMap((key) => differencesOf(actual[key], expected[key], key))
  }
  return isDeepStrictEqual(actual, expected)
    ? []
    : [`${name} is ${JSON.stringify(actual)} and should be ${JSON.stringify(expected)}`]
}

function expectedOf(model: Model, world: World) {
  const deletedBuckets = model.deletedBuckets.length
  const sent = model.sent.map(({ process, type, run }) => [
    QUEUES[process],
    type,
    world.id('run', run!),
  ])
  if (!model.analysis) {
    const requests = [...model.formerRequests].toSorted()
    return {
      analysis: null,
      assignments: [],
      buckets: [],
      files: [],
      runs: [],
      requests,
      sent,
      codeIsLocked: false,
      givenBack: deletedBuckets,
    }
  }
  const { locked, build, distribution, image, assignments, buckets, files, requests, ...rest } =
    model.analysis
  const runs = Object.entries({ build, distribution }).flatMap(([process, { run }]) =>
    run ? [[process, world.id('run', run.number), run.isCheckPending, run.problem]] : []
  )
  return {
    analysis: {
      ...model.derived(),
      configuration_locked: locked,
      build_status: build.status,
      build_progress: build.progress,
      build_hash: rest.buildHash,
      distribution_status: distribution.status,
      distribution_progress: distribution.progress,
      has_registry: rest.hasRegistry,
      image: image && world.id('image', image.key),
      arguments: rest.arguments,
    },
    assignments: byFirst(
      assignments.map(({ node, decision, status, progress }) => [
        world.id('node', node),
        decision,
        status,
        progress,
      ])
    ),
    buckets: byFirst(
      buckets.map(({ type, bucket, isBuiltIn }) => [world.id('bucket', bucket), type, isBuiltIn])
    ),
    files: byFirst(
      files.map(({ bucket, key, path, root }) => [
        world.id('file', key),
        world.id('bucket', bucket),
        path,
        root,
      ])
    ),
    runs,
    requests: [...requests.keys()].toSorted(),
    sent,
    codeIsLocked: locked,
    givenBack: deletedBuckets,
  }
}

function byFirst<T extends readonly unknown[]>(rows: readonly T[]): T[] {
  return rows.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1))
}
