import { PARTS } from '#oci/folder/parts'
import type { ImageStore } from '#oci/image_store'
import { LOCAL_IMAGES } from '#oci/local_host'
import { JobFailure } from '#worker/job_failure'
import type { Platform } from '#worker/platform/platform'
import type { RecordOf } from '#worker/platform/records'

type Registry = RecordOf<'registry'>
type Project = Pick<RecordOf<'registryProject'>, 'type' | 'externalName'>
type WorkerAccount = RecordOf<'workerAccount'>
type ProjectType = keyof typeof PARTS

/** How what keeps images is opened. */
export interface ImageStores {
  folder(): Promise<ImageStore>
  registry(registry: Pick<Registry, 'host' | 'accountName' | 'accountSecret'>): ImageStore
}

/** A registry of the platform, or the folder, with what its parts are called. */
export class Place {
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
    return this.#within('masterImages', virtualPath)
  }

  build(analysisId: string): Promise<string> {
    return this.#within('incoming', analysisId)
  }

  async #within(type: ProjectType, path: string): Promise<string> {
    const project = this.#registry && (await this.#projectOf(type, this.#registry))
    if (!project && !this.isFolder) {
      throw new JobFailure(
        'registryProjectNotFound',
        `${this.name} has no project for ${type}; it has to be set up`
      )
    }
    return `${project?.externalName ?? PARTS[type]}/${path}`
  }

  async #projectOf(type: ProjectType, { id }: Registry) {
    const projects = await this.#projects(id)
    return projects.find((project) => project.type === type)
  }
}

/** Where the images of the platform are. */
export class Places {
  readonly #stores: ImageStores
  readonly #platform: Platform
  readonly #signal: AbortSignal
  readonly #projects = new Map<string, Promise<readonly Project[]>>()

  constructor(stores: ImageStores, platform: Platform, signal: AbortSignal) {
    this.#stores = stores
    this.#platform = platform
    this.#signal = signal
  }

  /** Where a build goes: to the registry of its analysis, else to the oldest of the platform, else into the folder. */
  async ofBuild(analysisId: string): Promise<Place> {
    const told = await this.#platform.buildRegistry(analysisId)
    if (!told) {
      const analysis = await this.#platform.analysis(analysisId)
      return analysis?.registryId
        ? this.of(await this.#registry(analysis.registryId))
        : this.first()
    }
    if (!told.registry) {
      return this.folder()
    }
    const { projects, ...registry } = told.registry
    this.#projects.set(registry.id, Promise.resolve(projects))
    return this.#in(registry)
  }

  /** The oldest registry of the platform, else the folder. */
  async first(): Promise<Place> {
    const [oldest] = await this.#platform.registries()
    return oldest ? this.of(oldest) : this.folder()
  }

  /** Everywhere, the registries in their order. */
  async all(): Promise<Place[]> {
    const registries = await this.#platform.registries()
    const places = registries.map((registry) => this.of(registry))
    return Promise.all([...places, this.folder()])
  }

  async of(registry: Registry): Promise<Place> {
    return registry.host === LOCAL_IMAGES
      ? this.#inFolder(registry)
      : this.#in(withAccount(registry, await this.#platform.workerAccount(registry.id)))
  }

  /** As the account that stands in it. */
  async #in(registry: Registry): Promise<Place> {
    if (registry.host === LOCAL_IMAGES) {
      return this.#inFolder(registry)
    }
    const opened = (as: Registry) => this.#stores.registry(as).within(this.#signal)
    return new Place(
      opened(registry),
      async () => opened(await this.asMasterWorker(registry)),
      this.#projectsOf,
      registry
    )
  }

  folder(): Promise<Place> {
    return this.#inFolder(undefined)
  }

  /** As whom master images are written there, and what they are built on is read. */
  async asMasterWorker(registry: Registry): Promise<Registry> {
    return withAccount(registry, await this.#platform.masterAccount(registry.id))
  }

  async #registry(id: string): Promise<Registry> {
    const registry = await this.#platform.registry(id)
    if (!registry) {
      throw new JobFailure('registryNotFound', 'The registry of the analysis is not there any more')
    }
    return registry
  }

  async #inFolder(registry: Registry | undefined): Promise<Place> {
    const folder = await this.#stores.folder()
    const store = folder.within(this.#signal)
    return new Place(store, async () => store, this.#projectsOf, registry)
  }

  readonly #projectsOf = (registryId: string): Promise<readonly Project[]> => {
    const known = this.#projects.get(registryId) ?? this.#platform.registryProjects(registryId)
    this.#projects.set(registryId, known)
    return known
  }
}

/** The account that the platform has for us there, not that with which it looks after the registry; others have only one. */
export const withAccount = (registry: Registry, own: WorkerAccount | undefined): Registry =>
  own ? { ...registry, ...own } : registry
