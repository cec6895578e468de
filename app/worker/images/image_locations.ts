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

/** The registry has no project for this purpose. */
export class RegistryProjectMissing extends JobFailure {
  constructor(message: string) {
    super('registryProjectNotFound', message)
  }
}

/** Opens image stores. */
export interface ImageStores {
  folder(): Promise<ImageStore>
  registry(registry: Pick<Registry, 'host' | 'accountName' | 'accountSecret'>): ImageStore
}

/** A registry of the platform or the folder of images, with the names of its projects. */
export class ImageLocation {
  readonly #projects: (registryId: string) => Promise<readonly Project[]>
  readonly #registry: Registry | undefined

  constructor(
    readonly store: ImageStore,
    /** The store with the account that may push master images. Other accounts may not. */
    readonly masterStore: () => Promise<ImageStore>,
    projects: (registryId: string) => Promise<readonly Project[]>,
    registry: Registry | undefined
  ) {
    this.#projects = projects
    this.#registry = registry
  }

  /** Name for log messages. */
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

  /** Whether the platform created the project in this registry. */
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

/** The locations of images on the platform. */
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

  /** Where a build is pushed: to the registry of the analysis, else to the oldest usable one, else to the folder. */
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

  /** Where master images are pushed: to the oldest usable registry, else to the folder. */
  forMasterImages(): Promise<ImageLocation> {
    return this.#firstReady(['masterImages'])
  }

  /**
   * Searches the current build location first, then all others, since registries may have changed since the build.
   * Errors of a location matter only if no other has the image.
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

  /** All locations, registries in order, the folder last. */
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

  /** Opens a registry with the account in the record. */
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

  /** The registry with the account that may push master images. */
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

/** Without an account, the platform cannot create projects. The folder needs none. */
const isLinked = ({ host, accountName }: Registry, { externalId }: Pick<Project, 'externalId'>) =>
  externalId !== null || !accountName || host === LOCAL_IMAGES

/** The result of the first location that has one. Otherwise throws the first error. */
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

/** Replaces the administrative account by that of the worker, if the platform has one. */
export const withAccount = (registry: Registry, own: WorkerAccount | undefined): Registry =>
  own ? { ...registry, ...own } : registry
