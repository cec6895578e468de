import app from '@adonisjs/core/services/app'

import type { Layout } from '#storage/objects/layout'

/** Settings of storage, from `config/storage.ts`. */
export interface StorageSettings {
  /** The layout of new objects. */
  readonly layout: Layout
  /** The most bytes of a file; 0 means no limit. */
  readonly uploadMaxBytes: number
  readonly uploadMaxFiles: number
  /** Whether clients and robots need to participate in an analysis to access buckets of other realms. */
  readonly isRealmStrict: boolean
}

export const storageSettings = (): StorageSettings => app.config.get('storage')
