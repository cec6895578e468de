import type { ApplicationService } from '@adonisjs/core/types'
import type { ServerOptions } from 'socket.io'

import type { GracefulServer } from '#http/graceful_server'
import { drain } from '#kernel/drain'
import { publicPrefix } from '#configuration/surfaces'
import type { Report } from '#signals/signals'
import { env } from '#start/env'

import type { Emitter } from './emission.js'
import { Peers } from './peers.js'

/** Until sockets are served somewhere, there is no receiver. */
let carrier: Emitter = { emit: async () => {} }

const opened: { close(): void }[] = []

/** Tells sockets of what happened, wherever they are connected. */
export const realtime: Emitter = { emit: (emissions) => carrier.emit(emissions) }

/**
 * Lets this process reach the sockets of others where REDIS_URL is set; whether it serves any itself does not matter.
 */
export async function openRealtime(): Promise<void> {
  if (env.REDIS_URL) {
    const { RedisEmitter } = await import('./redis_emitter.js')
    const emitter = await RedisEmitter.connect(env.REDIS_URL)
    opened.push(emitter)
    carrier = emitter
  }
}

interface ServeOptions {
  readonly cors: ServerOptions['cors']
  /** Where the processes that share the port find each other. */
  readonly peerFolder?: string
}

/**
 * Serves sockets on the port of the core surface, for as long as the process is not drained.
 */
export async function serveRealtime(
  app: ApplicationService,
  server: GracefulServer,
  { cors, peerFolder }: ServeOptions
): Promise<void> {
  const authenticator = await app.container.make('authenticator')
  if (!authenticator) {
    return
  }
  const { RealtimeServer } = await import('./realtime_server.js')
  const logger = await app.container.make('logger')
  const sockets = new RealtimeServer({
    authenticator,
    drain,
    logger,
    path: `${publicPrefix('core', env.SURFACES)}/socket.io`,
    peers: peerFolder === undefined ? undefined : new Peers(peerFolder),
    cors,
    adapter: await adapter((error, what) => logger.warn({ err: error }, what)),
  })
  await sockets.attach(server)
  if (!env.REDIS_URL) {
    carrier = sockets
  }
}

/** Ends the connections to Redis that were made for sockets. */
export function closeRealtime(): void {
  opened.splice(0).forEach((connection) => connection.close())
}

async function adapter(report: Report) {
  if (!env.REDIS_URL) {
    return undefined
  }
  const { RedisSubscriber } = await import('./redis_subscriber.js')
  const subscriber = await RedisSubscriber.connect(env.REDIS_URL, report)
  opened.push(subscriber)
  return subscriber.adapter
}
