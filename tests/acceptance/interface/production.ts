import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startProgram, type Program, type Variables } from './program.js'

const newSecret = () => randomBytes(32).toString('hex')

/**
 * Starts the program as in production, where each service describes itself only to callers who are logged in. So that is
 * where all of them show whom they let in, whatever else they serve.
 */
export async function startProduction(variables: Variables): Promise<Program> {
  const objects = await mkdtemp(join(tmpdir(), 'hub-objects-'))
  const removeObjects = () => rm(objects, { recursive: true, force: true })
  try {
    const program = await startProgram({
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://hub.example.org',
      APP_KEY: newSecret(),
      CLIENT_SECRET: newSecret(),
      STORAGE_PATH: objects,
      LOGSTORE_URL: 'memory',
      ...variables,
    })
    return { origin: program.origin, stop: () => program.stop().finally(removeObjects) }
  } catch (failure) {
    await removeObjects()
    throw failure
  }
}

/** The path of each service that requires a login in production. */
export const CLOSED_PATH = '/docs/openapi.json'
