import { EXIT } from '#hubctl/exit_codes'
import type { Invocation } from '#hubctl/invocation'
import { findRecord, type NamedRecord } from '#hubctl/kinds/find_record'
import { ANALYSES, REGISTRIES, REGISTRY_PROJECTS } from '#hubctl/kinds/record_collections'
import type { Api } from '#hubctl/platform/api'
import { readPage, type Fields } from '#hubctl/platform/pages'
import { Problem, UsageProblem } from '#hubctl/problem'
import type { ImageRepository } from '#oci/copy_blob'
import { isDigest, LATEST } from '#oci/image_names'
import { LOCAL_IMAGES, openImageStore } from '#oci/open_image_store'
import { openImageLocation, type ImageLocationOptions } from './image_location.js'

/** The build of an analysis, which must be signed with its id. */
export interface BuildTarget {
  readonly shelf: ImageRepository
  readonly reference: string
  readonly signedName: string
}

/** Locates the build in the named location, else in the hub's registry. */
export async function findBuildTarget(
  invocation: Invocation<ImageLocationOptions>,
  idOrName: string
): Promise<BuildTarget> {
  const { images, registry } = invocation.options
  const api = await invocation.api()
  const analysis = await findRecord(api, ANALYSES, idOrName)
  const { id, buildHash } = analysis
  return {
    shelf:
      images !== undefined || registry !== undefined
        ? await imageInLocation(invocation, id)
        : await imageInRegistry(invocation, analysis),
    reference: isDigest(buildHash) ? buildHash : LATEST,
    signedName: id,
  }
}

async function imageInLocation(
  invocation: Invocation<ImageLocationOptions>,
  id: string
): Promise<ImageRepository> {
  const { store, incoming } = await openImageLocation(invocation)
  return { store, repository: `${incoming}/${id}` }
}

async function imageInRegistry(
  invocation: Invocation<ImageLocationOptions>,
  { id, registryId }: NamedRecord
): Promise<ImageRepository> {
  const api = await invocation.api()
  const registry = await registryOf(api, registryId)
  const project = await incomingOf(api, registry.id)
  const isInsecure = invocation.options.insecure ?? false
  return {
    store: await openImageStore(registry, { isInsecure }),
    repository: `${project}/${id}`,
  }
}

interface Registry {
  readonly id: string
  readonly host: string
  readonly accountName: string | null
  readonly accountSecret: string | null
}

/** The registry of the analysis, else the oldest one, as the worker chooses. */
async function registryOf(api: Api, id: unknown): Promise<Registry> {
  const query: [string, string][] = [['fields', '+accountSecret']]
  const found =
    typeof id === 'string'
      ? await findRecord(api, REGISTRIES, id, { shape: query })
      : await oldest(api, query)
  const { host, accountName, accountSecret } = found as unknown as Registry
  if (host === LOCAL_IMAGES) {
    throw folderOnly()
  }
  return { id: String(found.id), host, accountName, accountSecret }
}

async function oldest(api: Api, query: [string, string][]): Promise<Fields> {
  const { data } = await readPage(api, REGISTRIES.service, REGISTRIES.path, {
    query: [...query, ['sort', 'createdAt']],
    limit: 1,
  })
  if (!data[0]) {
    throw folderOnly()
  }
  return data[0]
}

async function incomingOf(api: Api, registryId: string): Promise<string> {
  const filter = `and(eq(registryId,'${registryId}'),eq(type,'incoming'))`
  const { data } = await readPage(api, REGISTRY_PROJECTS.service, REGISTRY_PROJECTS.path, {
    query: [['filter', filter]],
    limit: 1,
  })
  const name = data[0]?.externalName
  if (typeof name !== 'string') {
    throw new Problem(EXIT.refused, 'The registry of the analysis is not set up.', [
      'An operator can set it up: hubctl registry setup <registry>',
    ])
  }
  return name
}

const folderOnly = () =>
  new UsageProblem(
    'The images of this hub are in a folder on its machine. Verify them there:',
    'hubctl image verify <analysis> --images <folder>, which is IMAGES_PATH there'
  )
