import { FOLDER_PROJECTS } from '#oci/folder/folder_projects'
import { ImageFailure } from '#oci/errors'
import type { ImageStore } from '#oci/image_store'
import { LOCAL_IMAGES } from '#oci/local_host'
import { JobFailure } from '#worker/job_failure'
import type { Platform } from '#worker/platform/platform'
import type { RecordOf } from '#worker/platform/records'

type Registry = RecordOf<'registry'>
type Project = Pick<RecordOf<'registryProject'>, 'type' | 'externalName' | 'externalId'>
type WorkerAccount = RecordOf<'workerAccount'>
type ProjectType = keyof typeof FOLDER_PROJECTS

const BUILD_PROJECTS: readonly ProjectType[] = ['incoming', 'masterImages']

/** A project is missing in a registry, or was never made there. */
export class RegistryProjectMissing extends JobFailure {
  constructor(message: string) {
    super('registryProjectNotFound', message)
  }
}

/** How what keeps images is opened. */
export interface ImageStores {
  folder(): Promise<ImageStore>
  registry(registry: Pick<Registry, 'host' | 'accountName' | 'accountSecret'>): ImageStore
}

/** A registry of the platform, or the folder, with what its parts are called. */
export class ImageLocation {
  readonly #projects: (registryId: string) => Promise<readonly Project[]>
  readonly #registry: Registry | undefined

  constructor(
    readonly store: ImageStore,
    /** The same as whoever may write master images: who builds and brings images to nodes may not. */
    readonly masterStore: () => Promise<ImageStore>,
    projects: (registryId: string) => Promise<readonly Project[]>,
    registry: Registry | undefined
  ) {
    this.#projects = projects
    this.#registry = registry
  }

  /** In sentences. */
  get name(): string {
    return this.#registry ? `the registry ${this.#registry.host}` : 'the folder of images'
  }

  get isFolder(): boolean {
    return this.#registry === undefined || this.#registry.host === LOCAL_IMAGES
  }

  masterImage(virtualPath: string): Promise<string> {
    return this.#repositoryIn('masterImages', virtualPath)
  }

  build(analysisId: string): Promise<string> {
    return this.#repositoryIn('incoming', analysisId)
  }

  /** Whether a project has been made in it. */
  isLinked(project: Pick<Project, 'externalId'>): boolean {
    return this.#registry === undefined || isLinked(this.#registry, project)
  }

  async #repositoryIn(type: ProjectType, path: string): Promise<string> {
    const project = this.#registry && (await this.#projectOf(type, this.#registry))
    if (!project && !this.isFolder) {
      throw new RegistryProjectMissing(
        `${this.name} has no project for ${type}; it has to be set up`
      )
    }
    return `${project?.externalName ?? FOLDER_PROJECTS[type]}/${path}`
  }

  async #projectOf(type: ProjectType, { id }: Registry) {
    const projects = await this.#projects(id)
    return projects.find((project) => project.type === type)
  }
}

/** Where the images of the platform are. */
export class ImageLocations {
  readonly #stores: ImageStores
  readonly #platform: Platform
  readonly #signal: AbortSignal
  readonly #projects = new Map<string, Promise<readonly Project[]>>()

  constructor(stores: ImageStores, platform: Platform, signal: AbortSignal) {
    this.#stores = stores
    this.#platform = platform
    this.#signal = signal
  }

  /** Where a build goes: to the registry of its analysis, else to the oldest of the platform that is set up, else into the folder. */
  async forBuild(analysisId: string): Promise<ImageLocation> {
    const assigned = await this.#platform.buildRegistry(analysisId)
    if (!assigned) {
      const analysis = await this.#platform.analysis(analysisId)
      return this.#firstReady(BUILD_PROJECTS, analysis?.registryId)
    }
    if (!assigned.registry) {
      return this.folder()
    }
    const { projects, ...registry } = assigned.registry
    this.#projects.set(registry.id, Promise.resolve(projects))
    return this.#openRegistry(registry)
  }

  /** Where a master image goes: to the oldest registry of the platform that is set up for it, else into the folder. */
  forMasterImages(): Promise<ImageLocation> {
    return this.#firstReady(['masterImages'])
  }

  /**
   * Looks for a build where it would go now, then in all other places: which registries are set up may have changed since it was built. A place that
   * cannot be looked at matters only where no other has it.
   */
  async findBuild<T>(
    analysisId: string,
    find: (location: ImageLocation) => Promise<T | undefined>
  ): Promise<T | undefined> {
    return firstFound(this.#buildCandidates(analysisId), find)
  }

  async *#buildCandidates(analysisId: string): AsyncGenerator<ImageLocation, void, undefined> {
    const first = await this.forBuild(analysisId)
    yield first
    const locations = await this.all()
    yield* locations.filter(({ name }) => name !== first.name)
  }

  /** Everywhere, the registries in their order. */
  async all(): Promise<ImageLocation[]> {
    const registries = await this.#platform.registries()
    const locations = registries.map((registry) => this.of(registry))
    return Promise.all([...locations, this.folder()])
  }

  async of(registry: Registry): Promise<ImageLocation> {
    return registry.host === LOCAL_IMAGES
      ? this.#openFolder(registry)
      : this.#openRegistry(withAccount(registry, await this.#platform.workerAccount(registry.id)))
  }

  /** As the account that stands in it. */
  async #openRegistry(registry: Registry): Promise<ImageLocation> {
    if (registry.host === LOCAL_IMAGES) {
      return this.#openFolder(registry)
    }
    const opened = (as: Registry) => this.#stores.registry(as).within(this.#signal)
    return new ImageLocation(
      opened(registry),
      async () => opened(await this.withMasterAccount(registry)),
      this.#projectsOf,
      registry
    )
  }

  folder(): Promise<ImageLocation> {
    return this.#openFolder(undefined)
  }

  /** As whom master images are written there, and what they are built on is read. */
  async withMasterAccount(registry: Registry): Promise<Registry> {
    return withAccount(registry, await this.#platform.masterAccount(registry.id))
  }

  async #firstReady(
    types: readonly ProjectType[],
    preferredId?: string | null
  ): Promise<ImageLocation> {
    const registries = await this.#platform.registries()
    const isPreferred = ({ id }: Registry) => id === preferredId
    const others = registries.filter((registry) => !isPreferred(registry))
    for (const registry of [...registries.filter(isPreferred), ...others]) {
      if (await this.#isReady(registry, types)) {
        return this.of(registry)
      }
    }
    return this.folder()
  }

  async #isReady(registry: Registry, types: readonly ProjectType[]): Promise<boolean> {
    if (registry.host === LOCAL_IMAGES) {
      return true
    }
    const projects = await this.#projectsOf(registry.id)
    return types.every((type) =>
      projects.some((project) => project.type === type && isLinked(registry, project))
    )
  }

  async #openFolder(registry: Registry | undefined): Promise<ImageLocation> {
    const folder = await this.#stores.folder()
    const store = folder.within(this.#signal)
    return new ImageLocation(store, async () => store, this.#projectsOf, registry)
  }

  readonly #projectsOf = (registryId: string): Promise<readonly Project[]> => {
    const known = this.#projects.get(registryId) ?? this.#platform.registryProjects(registryId)
    this.#projects.set(registryId, known)
    return known
  }
}

/** A registry that the platform has no account for has nothing to be linked, and the folder has all it needs. */
const isLinked = ({ host, accountName }: Registry, { externalId }: Pick<Project, 'externalId'>) =>
  externalId !== null || !accountName || host === LOCAL_IMAGES

/** What the first of the places has; where none has it, the first reason why one could not be looked at. */
async function firstFound<T>(
  locations: AsyncIterable<ImageLocation>,
  find: (location: ImageLocation) => Promise<T | undefined>
): Promise<T | undefined> {
  const failures: unknown[] = []
  for await (const location of locations) {
    try {
      const found = await find(location)
      if (found !== undefined) {
        return found
      }
    } catch (error) {
      if (error instanceof ImageFailure) {
        failures.push(error)
      } else if (!(error instanceof RegistryProjectMissing)) {
        throw error
      }
    }
  }
  if (failures.length > 0) {
    throw failures[0]
  }
  return undefined
}

/** The account that the platform has for us there, not that with which it looks after the registry; others have only one. */
export const withAccount = (registry: Registry, own: WorkerAccount | undefined): Registry =>
  own ? { ...registry, ...own } : registry
