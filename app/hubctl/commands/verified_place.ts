import { EXIT } from '#hubctl/exit_codes'
import type { Invocation } from '#hubctl/invocation'
import { findRecord } from '#hubctl/kinds/find_record'
import { ANALYSES, REGISTRIES, REGISTRY_PROJECTS } from '#hubctl/kinds/places'
import type { Api } from '#hubctl/platform/api'
import { readPage, type Fields } from '#hubctl/platform/pages'
import { Problem, UsageProblem } from '#hubctl/problem'
import type { Shelf } from '#oci/copy_blob'
import { isDigest, LATEST, parseImageName } from '#oci/image_names'
import { LOCAL_IMAGES, openImageStore } from '#oci/open_image_store'
import { placeOf, type PlaceOptions } from './image_places.js'
import { registryAccount } from './registry_account.js'

export interface VerifyOptions extends PlaceOptions {
  readonly key?: string
}

/** An image that is looked at, and what it has to be of, where that was said. */
export interface VerifiedPlace {
  readonly shelf: Shelf
  readonly reference: string
  readonly analysisId?: string
}

const HOSTED = /^([\w.-]+\.[\w.-]+|localhost|\[[\da-f:]+\]|[\w.-]+(?=:\d))(:\d+)?\/./i

/** Where an image is: in a place that was named, in a registry, or where the hub keeps the build of an analysis. */
export async function verifiedPlace(
  invocation: Invocation<VerifyOptions>,
  image: string
): Promise<VerifiedPlace> {
  const { images, registry } = invocation.options
  if (images !== undefined || registry !== undefined) {
    const { repository, reference } = parseImageName(image)
    const { store } = await placeOf(invocation)
    return { shelf: { store, repository }, reference }
  }
  return HOSTED.test(image) ? inRegistry(invocation, image) : buildOf(invocation, image)
}

/** As podman, docker and cosign would, with the account that they know. */
async function inRegistry(
  { options }: Invocation<VerifyOptions>,
  image: string
): Promise<VerifiedPlace> {
  const at = image.indexOf('/')
  const host = image.slice(0, at)
  const { repository, reference } = parseImageName(image.slice(at + 1))
  const address = { host, ...(await registryAccount(host)) }
  const store = await openImageStore(address, { isInsecure: options.insecure ?? false })
  return { shelf: { store, repository }, reference }
}

async function buildOf(
  invocation: Invocation<VerifyOptions>,
  idOrName: string
): Promise<VerifiedPlace> {
  const api = await invocation.api()
  const analysis = await findRecord(api, ANALYSES, idOrName)
  const { buildHash, registryId } = analysis
  const registry = await registryOf(api, registryId)
  const project = await incomingOf(api, registry.id)
  const store = await openImageStore(registry, {
    isInsecure: invocation.options.insecure ?? false,
  })
  return {
    shelf: { store, repository: `${project}/${analysis.id}` },
    reference: isDigest(buildHash) ? buildHash : LATEST,
    analysisId: analysis.id,
  }
}

interface Registry {
  readonly id: string
  readonly host: string
  readonly accountName: string | null
  readonly accountSecret: string | null
}

/** That of the analysis, else the oldest, as the worker chooses. */
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
    throw new Problem(EXIT.refused, 'The registry of the analysis was never set up.', [
      'An operator does that: hubctl registry setup <registry>',
    ])
  }
  return name
}

const folderOnly = () =>
  new UsageProblem(
    'The images of this hub are in a folder on its machine. Look there:',
    'hubctl image verify incoming/<id of the analysis> --images <folder>, which is IMAGES_PATH there'
  )
