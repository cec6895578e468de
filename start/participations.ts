import { surfacesOf } from '#configuration/processes'
import { env } from '#start/env'

/**
 * The analyses in which the nodes of a client take part: asked of core where this process works for it, else over its address. None
 * where there is nobody to ask.
 */
export async function participations(clientId: string): Promise<ReadonlySet<string>> {
  if (surfacesOf(env).includes('core')) {
    const { analysesOfClient } = await import('#core/analyses/analyses_of_client')
    return analysesOfClient(clientId)
  }
  if (env.CORE_URL === undefined) {
    return new Set()
  }
  const { askCore } = await import('#storage/core/ask_core')
  const { default: app } = await import('@adonisjs/core/services/app')
  return askCore({ url: env.CORE_URL, provider: await app.container.make('identity') }, clientId)
}
