/** The services of the platform, with an interface and tables of their own; `identity` is served at `/auth`. */
export const SURFACES = ['core', 'storage', 'telemetry', 'messenger', 'identity'] as const
export type Surface = (typeof SURFACES)[number]

/** All that is served over HTTP. The console has pages instead of an interface, and no tables. */
export const SERVED = [...SURFACES, 'console'] as const
export type Served = (typeof SERVED)[number]

/** The kinds of background work. */
export const JOBS = ['bus', 'outbox', 'sweeps', 'worker'] as const
export type Job = (typeof JOBS)[number]

/** What a process may depend on, embedded or external. */
export const CONCERNS = ['database', 'bus', 'signals', 'objects', 'logs', 'identity'] as const
export type Concern = (typeof CONCERNS)[number]

const SURFACE_CONCERNS: Readonly<Record<Served, readonly Concern[]>> = {
  core: ['database', 'bus', 'signals', 'identity'],
  storage: ['database', 'bus', 'signals', 'objects', 'identity'],
  telemetry: ['database', 'bus', 'signals', 'logs', 'identity'],
  messenger: ['database', 'signals', 'identity'],
  identity: ['database', 'signals', 'identity'],
  console: ['identity'],
}

const JOB_CONCERNS: Readonly<Record<Job, readonly Concern[]>> = {
  bus: ['database', 'bus', 'signals', 'objects', 'logs', 'identity'],
  outbox: ['database', 'bus', 'signals', 'identity'],
  sweeps: ['database', 'objects', 'identity'],
  worker: ['bus', 'identity'],
}

interface ProcessSettings {
  readonly SURFACES: readonly Served[]
  readonly JOBS: readonly Job[]
  readonly IDENTITY_URL: string | undefined
}

/** Whether a process is a worker and nothing else, which gets no secret of the hub. */
export const isOnlyWorker = ({
  SURFACES: served,
  JOBS: jobs,
}: Omit<ProcessSettings, 'IDENTITY_URL'>) =>
  served.length === 0 && jobs.length > 0 && jobs.every((job) => job === 'worker')

/** The services a process works for: those it serves, or all if it serves nothing. */
export function surfacesOf(settings: ProcessSettings): readonly Surface[] {
  return servedOf(settings).filter((surface) => surface !== 'console')
}

/** What the process serves, or what its installation serves if it serves nothing. */
export function servedOf({ SURFACES: served, IDENTITY_URL }: ProcessSettings): readonly Served[] {
  return served.length > 0 ? served : embeddedSurfaces(IDENTITY_URL)
}

/** All that an installation serves; without the identity surface if an external provider is set. */
export function embeddedSurfaces(identityUrl: string | undefined): readonly Served[] {
  return SERVED.filter((surface) => surface !== 'identity' || identityUrl === undefined)
}

/** The concerns this process depends on: one that only serves messages needs no object store. */
export function requiredConcerns(settings: ProcessSettings): ReadonlySet<Concern> {
  const available = new Set(servedOf(settings).flatMap((surface) => SURFACE_CONCERNS[surface]))
  const bySurfaces = settings.SURFACES.flatMap((surface) => SURFACE_CONCERNS[surface])
  const byJobs = settings.JOBS.flatMap((job) => JOB_CONCERNS[job]).filter((concern) =>
    available.has(concern)
  )
  const needed = [...bySurfaces, ...byJobs]
  return new Set(CONCERNS.filter((concern) => needed.includes(concern)))
}

/** Whether this process needs a database; a worker with an external provider does not. */
export function usesDatabase(settings: ProcessSettings): boolean {
  const concerns = requiredConcerns(settings)
  const storesIdentities = concerns.has('identity') && settings.IDENTITY_URL === undefined
  return concerns.has('database') || storesIdentities
}
