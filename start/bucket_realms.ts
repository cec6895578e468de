import { surfacesOf } from '#configuration/processes'
import { env } from '#start/env'

/**
 * The realm of a bucket, null for one of none: asked of storage where this process works for it, else over its address. Undefined
 * where there is no such bucket, or nobody to ask.
 */
export async function realmOfBucket(id: string): Promise<string | null | undefined> {
  if (surfacesOf(env).includes('storage')) {
    const { bucketRealm } = await import('#storage/buckets/bucket_realm')
    return bucketRealm(id)
  }
  if (env.STORAGE_URL === undefined) {
    return undefined
  }
  const { askStorage } = await import('#core/analysis_buckets/ask_storage')
  const { default: app } = await import('@adonisjs/core/services/app')
  return askStorage({ url: env.STORAGE_URL, provider: await app.container.make('identity') }, id)
}
