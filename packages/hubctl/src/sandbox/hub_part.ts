import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { EXIT } from '#hubctl/exit_codes'
import { Problem, UsageProblem } from '#hubctl/problem'
import { Part } from './part.js'
import { isPortOf, requireFreePort } from './port_owner.js'
import { repositoryFolder } from './repository.js'
import type { SandboxFolder } from './sandbox_folder.js'

export interface HubPartOptions {
  readonly port: number
  /** Takes the database, the broker, Redis and the object store from the environment. */
  readonly withRealParts: boolean
}

/** Where the hub serves requests, and what it prints. */
export interface HubAddress {
  readonly url: string
  readonly port: number
  readonly log: string
}

/** Variables that name a server. Without `--with-real-parts` the hub brings all of them. */
const SERVERS = /^(DATABASE_URL|AMQP_URL|REDIS_URL|S3_\w+|LOGSTORE_URL|IDENTITY_URL|HARBOR_URL)$/
const REQUIRED = ['DATABASE_URL', 'AMQP_URL', 'REDIS_URL', 'S3_ENDPOINT']

const READY_MS = 300_000
const POLL_MS = 250

/** The environment of the hub, and of its commands. */
export async function hubEnvironment(
  folder: SandboxFolder,
  { port, withRealParts }: HubPartOptions,
  temporary: string
): Promise<NodeJS.ProcessEnv> {
  const missing = REQUIRED.filter((name) => !process.env[name])
  if (withRealParts && missing.length > 0) {
    throw new UsageProblem(
      `--with-real-parts takes the servers from the environment; ${missing.join(', ')} is missing.`
    )
  }
  const kept = Object.entries(process.env).filter(([name]) => withRealParts || !SERVERS.test(name))
  const { admin, system } = await folder.secrets()
  return {
    ...Object.fromEntries(kept),
    TMPDIR: temporary,
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${port}`,
    DATA_DIR: folder.hub,
    IMAGES_PATH: folder.images,
    IMAGE_SOURCE: 'archive',
    IDENTITY_ADMIN_PASSWORD: admin,
    CLIENT_SECRET: system,
  }
}

/** Starts the hub at a port that is free. */
export async function startHub(
  folder: SandboxFolder,
  environment: NodeJS.ProcessEnv
): Promise<Part> {
  await requireFreePort(Number(environment.PORT))
  const root = repositoryFolder()
  return Part.start({
    name: 'hub',
    program: process.execPath,
    args: [join(root, 'bin/bootstrap.mjs'), 'start'],
    environment,
    folder: root,
    log: join(folder.logs, 'hub.log'),
  })
}

/** Resolves when the hub serves requests. */
export async function hubReady(hub: Part, { url, port, log }: HubAddress): Promise<void> {
  for (const deadline = Date.now() + READY_MS; ; await pause(POLL_MS)) {
    if (!hub.isRunning || Date.now() > deadline) {
      throw new Problem(EXIT.failed, 'The hub did not start.', [`Its log is in ${log}`])
    }
    if (!(await isPortOf(hub.pid, port))) {
      continue
    }
    const response = await fetch(`${url}/core/`).catch(() => undefined)
    await response?.body?.cancel()
    if (response?.ok) {
      return
    }
  }
}

/** Before a password is sent there: whoever listens at the port is the hub of this sandbox. */
export async function requireOwnHub(hub: Part, { port }: HubAddress): Promise<void> {
  if (!(await isPortOf(hub.pid, port))) {
    throw new Problem(EXIT.refused, `Another program listens at the port ${port}.`, [
      'No password was sent to it. End it, or choose another port: --port <port>',
    ])
  }
}
