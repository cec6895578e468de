import { Ignitor } from '@adonisjs/core'
import type { ApplicationService } from '@adonisjs/core/types'

const APP_ROOT = new URL('../../', import.meta.url)

/** The ignitor of servers and commands. */
export function createIgnitor(): Ignitor {
  return new Ignitor(APP_ROOT, { importer: (path) => import(resolved(path)) })
}

/**
 * The framework's application, not booted yet.
 */
export function createApplication(): ApplicationService {
  return createIgnitor().createApp('web')
}

/** Reads the settings of `config/` only, for programs that use parts of the hub without its services. */
export async function loadSettings(): Promise<void> {
  const app = createIgnitor().createApp('console')
  app.rcContents({ providers: [], preloads: [] })
  await app.init()
  await app.boot()
}

function resolved(path: string): string {
  return path.startsWith('./') ? new URL(path, APP_ROOT).href : path
}
