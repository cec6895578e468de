import { Option, type Command } from 'commander'

import type { Invocation } from '#hubctl/invocation'
import { EXIT, type ExitCode } from '#hubctl/exit_codes'
import { findRecord } from '#hubctl/kinds/find_record'
import { REGISTRIES, REGISTRY_PROJECTS } from '#hubctl/kinds/record_collections'
import { allOf, type Fields } from '#hubctl/platform/pages'
import { Problem, UsageProblem } from '#hubctl/problem'
import {
  ImageMissing,
  isImageFailure,
  RegistryUnavailable,
  RegistryDenied,
  type ImageFailure,
} from '#oci/errors'
import { FOLDER_PROJECTS } from '#oci/folder/folder_projects'
import type { ImageStore } from '#oci/image_store'
import { LOCAL_IMAGES, openImageStore } from '#oci/open_image_store'

export interface ImageLocationOptions {
  readonly images?: string
  readonly registry?: string
  readonly insecure?: boolean
}

export interface ImageLocation {
  readonly store: ImageStore
  /** Repository prefixes of master images and of builds. */
  readonly masterImages: string
  readonly incoming: string
  /** The name for messages. */
  readonly name: string
}

const STORES_IMAGES = "or(eq(type,'masterImages'),eq(type,'incoming'))"

/** Adds the options that name a folder or a registry of images. */
export function withLocationOptions(command: Command): Command {
  return command
    .addOption(new Option('--images <folder>', 'in a folder on this machine').conflicts('registry'))
    .option('--registry <registry>', 'in a registry of the hub, its id or name')
    .option('--insecure', 'do not verify the certificate of that registry')
}

/** Opens the folder, or the registry with the account that the platform uses there. */
export async function openImageLocation(
  invocation: Invocation<ImageLocationOptions>
): Promise<ImageLocation> {
  const { images, registry, insecure } = invocation.options
  if (images !== undefined) {
    const store = await openImageStore({ path: images })
    return { store, ...FOLDER_PROJECTS, name: images }
  }
  if (registry === undefined) {
    throw new UsageProblem(
      'No location of images was given: pass --images <folder>, or --registry <id or name>.'
    )
  }
  return openRegistryLocation(invocation, registry, insecure ?? false)
}

async function openRegistryLocation(
  invocation: Invocation<ImageLocationOptions>,
  idOrName: string,
  isInsecure: boolean
): Promise<ImageLocation> {
  const api = await invocation.api()
  const shape = [['fields', '+accountSecret']] as const
  const found = await findRecord(api, REGISTRIES, idOrName, { shape: [[...shape[0]]] })
  const { host, accountName, accountSecret } = found as unknown as Account
  if (host === LOCAL_IMAGES) {
    throw new Problem(EXIT.refused, `This registry is a folder of the platform.`, [
      'On its machine: --images <folder>, which is IMAGES_PATH there',
    ])
  }
  const projects = await allOf<RegistryProject>(api, 'core', REGISTRY_PROJECTS.path, {
    query: [['filter', `and(eq(registryId,'${found.id}'),${STORES_IMAGES})`]],
  })
  const externalNameOf = (type: keyof typeof FOLDER_PROJECTS) =>
    projects.find((project) => project.type === type)?.externalName ?? FOLDER_PROJECTS[type]
  const store = await openImageStore({ host, accountName, accountSecret }, { isInsecure })
  return {
    store,
    masterImages: externalNameOf('masterImages'),
    incoming: externalNameOf('incoming'),
    name: host,
  }
}

/** Turns image errors into problems with an exit code. */
export async function explainImageFailure<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw isImageFailure(error) ? new Problem(exitCodeOf(error), `${error.message}.`) : error
  })
}

function exitCodeOf(failure: ImageFailure): ExitCode {
  switch (true) {
    case failure instanceof RegistryUnavailable:
      return EXIT.unreachable
    case failure instanceof RegistryDenied:
      return EXIT.permission
    case failure instanceof ImageMissing:
      return EXIT.notFound
    default:
      return EXIT.refused
  }
}

interface Account {
  readonly host: string
  readonly accountName: string | null
  readonly accountSecret: string | null
}

interface RegistryProject extends Fields {
  readonly type: string
  readonly externalName: string
}
