import type { ApplicationService } from '@adonisjs/core/types'

import { surfacesOf } from '#configuration/processes'
import { reseal } from '#records/resealing'
import { installationSealing } from '#records/sealing'
import { HeadAnchor } from '#telemetry/trail/head_anchor'
import { env } from './env.js'
import { sealedPlaces } from './sealed_places.js'

interface ApplicationKeyChangeOptions {
  readonly app: ApplicationService
  readonly dryRun: boolean
  /** Whether to no longer accept images signed with a former key. */
  readonly forget: boolean
  readonly signal: AbortSignal
  /** Called with the current column and the number of values read. */
  readonly progress: (place: string, values: number) => void
}

interface ApplicationKeyChangeResult {
  /** The number of values encrypted or signed again, per column. */
  readonly done: Readonly<Record<string, number>>
  /** The number of values that still need a former key. */
  readonly remaining: number
  /** Values that no available key decrypts. */
  readonly unreadable: readonly { readonly place: string; readonly count: number }[]
}

/** Repeated passes find what processes with a former key write meanwhile. */
const MAX_PASSES = 3

/** Encrypts and signs with `APP_KEY` what this process's databases have encrypted with `APP_KEY_PREVIOUS`. */
export class ApplicationKeyChange {
  readonly #options: ApplicationKeyChangeOptions

  constructor(options: ApplicationKeyChangeOptions) {
    this.#options = options
  }

  async run(): Promise<ApplicationKeyChangeResult> {
    const { dryRun } = this.#options
    const done: Record<string, number> = {}
    for (let pass = 0; ; pass++) {
      const { changed, unreadable } = await this.#runPass(dryRun || pass === MAX_PASSES)
      const remaining = Object.values(changed).reduce((sum, count) => sum + count, 0)
      if (dryRun) {
        return { done: changed, remaining, unreadable }
      }
      if (remaining === 0 || pass === MAX_PASSES) {
        return { done, remaining, unreadable }
      }
      for (const [place, count] of Object.entries(changed)) {
        done[place] = (done[place] ?? 0) + count
      }
    }
  }

  async #runPass(dryRun: boolean) {
    const { progress, signal } = this.#options
    const changed: Record<string, number> = {}
    const unreadable: { place: string; count: number }[] = []
    for (const { pool, place } of await sealedPlaces()) {
      const name = `${place.table}.${place.column}`
      const report = (values: number) => progress(name, values)
      const options = { sealing: installationSealing(), dryRun, signal, progress: report }
      const counts = await reseal(pool, place, options)
      changed[name] = (changed[name] ?? 0) + counts.resealed
      if (counts.unreadable > 0) {
        unreadable.push({ place: name, count: counts.unreadable })
      }
    }
    const others = { ...(await this.#trail(dryRun)), ...(await this.#imageKeys(dryRun)) }
    return { changed: { ...changed, ...others }, unreadable }
  }

  async #trail(dryRun: boolean): Promise<Record<string, number>> {
    if (!surfacesOf(env).includes('telemetry')) {
      return {}
    }
    const { app, signal, progress } = this.#options
    const { renewSignatures } = await import('#telemetry/trail/renew_signatures')
    const { trailKey } = await import('#telemetry/trail/trail_key')
    const { telemetryPool } = await import('#telemetry/database')
    progress('the audit trail', 0)
    const anchor = await app.container.make(HeadAnchor)
    const signed = await renewSignatures(telemetryPool(), {
      key: trailKey(),
      anchor,
      dryRun,
      signal,
    })
    return {
      'batches of the audit trail': signed.batches,
      'removals of the audit trail': signed.removals,
      'ends of the audit trail': signed.heads,
    }
  }

  /** Former keys stay accepted, unless they may be compromised. */
  async #imageKeys(dryRun: boolean): Promise<Record<string, number>> {
    const { app, forget } = this.#options
    if (!surfacesOf(env).includes('core')) {
      return {}
    }
    const { AcceptedKeys } = await import('#core/image_keys/accepted_keys')
    const accepted = await app.container.make(AcceptedKeys)
    if (forget) {
      await (dryRun ? undefined : accepted.removeFormer())
      return {}
    }
    const missing = await accepted.findUnstored()
    return {
      'public keys of images': dryRun ? missing.length : await accepted.store(missing),
    }
  }
}
