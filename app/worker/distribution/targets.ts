import { LATEST } from '#oci/image_names'
import {
  RegistryProjectMissing,
  type ImageLocation,
  type ImageLocations,
} from '#worker/images/image_locations'
import { JobFailure } from '#worker/job_failure'
import type { Platform } from '#worker/platform/platform'
import type { RecordOf } from '#worker/platform/records'

export const TAG = LATEST

/** A node to deliver to. */
export interface Target {
  readonly nodeId: string
  readonly name: string
  readonly repository: string
  /** Whether the platform created the project of the node in the registry. */
  readonly isLinked: boolean
}

/** The nodes of one registry. */
export interface Destination {
  readonly location: ImageLocation
  readonly targets: readonly Target[]
}

export interface Targets {
  readonly destinations: readonly Destination[]
  /** Nodes without a usable registry, with the reason. */
  readonly unroutable: readonly {
    readonly nodeId: string
    readonly name: string
    readonly reason: JobFailure
  }[]
}

type Node = RecordOf<'node'>

/** Groups the nodes of an analysis by registry. */
export async function targetsOf(
  platform: Platform,
  locations: ImageLocations,
  analysisId: string
): Promise<Targets> {
  const assigned = await platform.analysisNodes(analysisId)
  if (assigned.length === 0) {
    throw new JobFailure('notFound', 'No node is assigned to the analysis')
  }
  const nodes = await platform.nodes(assigned.map(({ nodeId }) => nodeId))
  const registries = new Set(
    nodes.flatMap(({ registryProject }) => registryProject?.registryId ?? [])
  )
  const opened = await Promise.all([...registries].map((id) => locationOf(platform, locations, id)))
  const byRegistry = new Map([...registries].map((id, index) => [id, opened[index]]))
  const locationFor = ({ registryProject: project }: Node) =>
    project ? byRegistry.get(project.registryId) : undefined
  return {
    destinations: [...Map.groupBy(nodes, locationFor)].flatMap(([location, ofLocation]) =>
      location
        ? [
            {
              location,
              targets: ofLocation.map((node) => targetOf(node, location, analysisId)),
            },
          ]
        : []
    ),
    unroutable: nodes.filter((node) => !locationFor(node)).map(unroutableNode),
  }
}

async function locationOf(
  platform: Platform,
  locations: ImageLocations,
  id: string
): Promise<ImageLocation | undefined> {
  const registry = await platform.registry(id)
  return registry && locations.of(registry)
}

function targetOf(node: Node, location: ImageLocation, analysisId: string): Target {
  const project = node.registryProject!
  return {
    nodeId: node.id,
    name: nameOf(node),
    repository: `${project.externalName}/${analysisId}`,
    isLinked: location.isLinked(project),
  }
}

const unroutableNode = (node: Node) => ({
  nodeId: node.id,
  name: nameOf(node),
  reason: node.registryProject
    ? new JobFailure('registryNotFound', 'The registry of the node no longer exists')
    : new RegistryProjectMissing('The node has no project in a registry'),
})

const nameOf = ({ id, name }: Node): string => name ?? id
