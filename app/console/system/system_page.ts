import type { Page, View } from '#console/page'
import type { SurfaceName } from '#configuration/surfaces'
import { readExamination } from './examination.js'
import { readInstallation } from './installation.js'

/** The number and size of files, as counted by the storage service. */
interface Usage {
  readonly buckets: number
  readonly files: number
  readonly bytes: number
}

const SERVICES: readonly SurfaceName[] = ['core', 'storage', 'telemetry', 'messenger', 'identity']

/** The sweeps that the interface can run. */
const SWEEPS = ['events', 'messages', 'objects'] as const

/** Shows the state of the services, the queues, and upcoming work for operators. */
export async function showSystem(page: Page): Promise<View> {
  const [status, doctor, usage, versions] = await Promise.all([
    readInstallation(page),
    readExamination(page),
    page.hub.optional(page.hub.read<{ data: Usage }>('storage', '/usage')),
    Promise.all(SERVICES.map((service) => versionOf(page, service))),
  ])
  return page.view('system/overview', {
    title: page.t('system.title'),
    status,
    doctor,
    usage: usage?.data,
    backup: status.backups[0],
    runnable: SWEEPS,
    running: status.sweeps.filter(({ isRunning }) => isRunning),
    versions: Object.fromEntries(SERVICES.map((service, index) => [service, versions[index]])),
    dead: status.queues.filter(({ dead }) => dead !== 0),
    quiet: status.queues.filter(({ dead }) => dead === 0),
  })
}

/** The version of a service; undefined if it does not respond, or belongs to an external provider. */
async function versionOf(page: Page, service: SurfaceName): Promise<string | undefined> {
  try {
    const { version } = await page.hub.read<{ version?: string }>(service, '/')
    return version
  } catch {
    return undefined
  }
}
